package gen

import (
	_ "embed" // the lists
	"io"
	"strconv"
	"strings"
)

// Donations writes a file like the individual contributions that the Federal Election Commission of
// the United States publishes: 21 fields separated by bars, no header, no quotes, a line feed after
// each row, ASCII. Lengths, empty fields, months, first names and oddities were measured on 10,000
// rows of the real file; people, and most employers and towns, are made up. It writes as many
// whole rows as fit in that many bytes.
//
// As in the real file, the rows of a filing are adjacent and share committee, report, month and
// file number. A row is assembled from prepared parts and a few digits.
func Donations(w io.Writer, bytes int64, seed uint64) error {
	p := newDonationParts(seed)
	return writeBytes(w, "", bytes, seed, func(d *dice) func([]byte) []byte {
		f := &filing{donationParts: p, dice: d}
		return f.appendRow
	})
}

const (
	firstNamesInAll = 8000
	lastNamesInAll  = 60_000
	townsInAll      = 5500
	employersInAll  = 20_000
	jobsInAll       = 10_000
	committees      = 4000
	filesInAll      = 12_000
	conduitsInAll   = 600

	conduit = "C00401224" // most small donations are passed on by this committee
)

// donationParts are the parts of which rows are assembled.
type donationParts struct {
	first, last, end, town, state       *texts
	atHome, employer, job               *texts
	amount, imageMonth, report          *texts
	receiver, passedOn, note, committee *texts
	file                                wheel // picks the file number
}

func newDonationParts(seed uint64) *donationParts {
	d := newDice(seed, -1)
	p := &donationParts{
		state: weighted("states"), end: weighted("nameEnds"), atHome: weighted("atHome"), amount: weighted("amounts"),
		imageMonth: weighted("imageMonths"), report: weighted("reports"), passedOn: weighted("passedOn"),
	}
	first := weighted("firstNames").text
	p.first = parseTexts(list("firstNames"), words(d, firstNamesInAll-len(first), first...), 6600, 45, 1.35)
	last := weighted("lastNames").text
	surnames := words(d, lastNamesInAll-len(last), last...)
	p.last = parseTexts(list("lastNames"), surnames, 9500, 20, 0.85)
	p.town = parseTexts(list("towns"), p.makeTowns(d, surnames), 7300, 10, 0.75)
	p.employer = parseTexts(list("employers"), makeEmployers(d, surnames), 4200, 10, 0.65)
	p.job = parseTexts(list("occupations"), makeJobs(d, weighted("occupations").text), 3700, 60, 0.5)
	p.note = parseTexts(list("notes"), makeNotes(d), 400, 10, 0.6)
	p.committee = parseTexts("", times(committees, func(int) string { return committee(d) }), 1, 3, 1.1)
	p.file = newWheel(zipf(filesInAll, 20, 0.9))
	p.receiver = parseTexts(list("conduits"), times(conduitsInAll, func(k int) string {
		id := committee(d)
		return id + "|EARMARKED FOR " + p.first.text[k%100] + " " + surnames[k] + " FOR CONGRESS (" + id + ")"
	}), 700, 3, 0.9)
	return p
}

// donationLists has a list of weights and texts after each line "[name]", up to an empty line.
//
//go:embed donations.txt
var donationLists string

// list returns a list by its name.
func list(name string) string {
	_, rest, _ := strings.Cut(donationLists, "\n["+name+"]\n")
	text, _, _ := strings.Cut(rest, "\n\n")
	return strings.TrimSuffix(text, "\n") + "\n"
}

// weighted returns the texts of a list alone.
func weighted(name string) *texts { return parseTexts(list(name), nil, 0, 0, 0) }

func times(n int, make func(k int) string) (out []string) {
	for k := range n {
		out = append(out, make(k))
	}
	return out
}

func committee(d *dice) string { return string(d.digits([]byte("C00"), 6)) }

// makeTowns returns towns with their states and the first digits of their ZIP codes.
func (p *donationParts) makeTowns(d *dice, names []string) []string {
	ends := strings.Split("||||||VILLE|VILLE|TON|TON|BURG|FIELD|WOOD|TOWN|"+
		" CITY| BEACH| HILLS| SPRINGS| PARK| HEIGHTS", "|")
	heads := strings.Split("|||||||||||||||||WEST |NORTH |SOUTH |NEW |EAST |MT. |ST. |LAKE |FORT |SAN |PORT ", "|")
	return times(townsInAll, func(k int) string {
		name := names[len(names)/9+k%(len(names)/2)]
		if len(name) > 6 {
			name = name[:6]
		}
		name = heads[d.below(len(heads))] + name + ends[d.below(len(ends))]
		return name + "|" + p.state.pick(d) + "|" + string(d.digits(nil, 3))
	})
}

func makeEmployers(d *dice, names []string) []string {
	kinds := strings.Split(" UNIVERSITY| & ASSOCIATES| INC.| INC|, INC.| LLC| LLC|, LLC| COMPANY|"+
		" CORPORATION| LLP| GROUP| HEALTH SYSTEM| PUBLIC SCHOOLS| MEDICAL CENTER|"+
		" COUNTY GOVERNMENT| CONSTRUCTION| LAW FIRM| PARTNERS| ELECTRIC CO.| INTERNATIONAL|"+
		" STATE UNIVERSITY| SCHOOL DISTRICT| CONSULTING||||", "|")
	return times(employersInAll, func(int) string {
		name := names[d.below(len(names))]
		if d.oneIn(5) {
			name += " " + names[d.below(len(names))]
		}
		return name + kinds[d.below(len(kinds))]
	})
}

func makeJobs(d *dice, plain []string) []string {
	ranks := strings.Fields("SENIOR ASSISTANT ASSOCIATE CHIEF SR. VP, REGIONAL DEPUTY LEAD PROJECT GENERAL MGR, " +
		"SVP STAFF JUNIOR ACTING AREA GROUP RETIRED CO-")
	fields := strings.Fields("SOFTWARE MARKETING FINANCE OPERATIONS RESEARCH LEGAL SALES HR MEDIA ENERGY SAFETY IT " +
		"TAX NURSING DESIGN LOGISTICS PATENT FLIGHT PLANT CLAIMS CREDIT BUDGET QUALITY NETWORK FIELD FOREST")
	return times(jobsInAll, func(int) string {
		job := plain[d.below(len(plain))]
		if len(job) > 14 || d.oneIn(2) {
			job = fields[d.below(len(fields))]
		}
		if d.oneIn(3) {
			job += " " + fields[d.below(len(fields))]
		}
		return ranks[d.below(len(ranks))] + " " + job
	})
}

func makeNotes(d *dice) []string {
	every := strings.Fields("WEEKLY BI-WEEKLY MONTHLY QUARTERLY")
	return times(500, func(int) string {
		return "P/R DEDUCTION ($" + strconv.Itoa(1+d.below(250)) + ".00 " + every[d.below(len(every))] + ")"
	})
}

// channel is how the donations of a filing were made. It determines the last fields.
type channel int

const (
	direct     channel = iota
	noted              // with a memo
	through            // the conduit reports donations that it passed on
	earmarked          // the receiver reports these donations
	refunded           // to the donor
	separately         // to a non-contribution account
)

// filing makes the rows of a block, one filing after another.
type filing struct {
	*donationParts
	*dice

	left       int // rows of the current filing
	channel    channel
	head       []byte // its first three fields
	image      []byte // its image number without the last digits, which count pages
	page       int
	pageDigits int    // number of digits of page
	tail       []byte // a bar and the file number
	sub        []byte // the first nine digits of the last field
	month      int    // 0 to 11
	year       int
	id         int // style of the transaction identifiers
	number     int // of the last transaction
}

const rowsInFilingMax = 47 // 24 on average; a filing does not continue in the next block

func (f *filing) begin() {
	f.left = 1 + f.below(rowsInFilingMax)
	switch k := f.below(10_000); {
	case k < 4647:
		f.channel = direct
	case k < 5780:
		f.channel = noted
	case k < 8050:
		f.channel = through
	case k < 9800:
		f.channel = earmarked
	case k < 9915:
		f.channel = refunded
	default:
		f.channel = separately
	}
	f.head = f.head[:0]
	if f.channel == through || f.oneIn(40) {
		f.head = append(f.head, conduit...)
	} else {
		f.head = append(f.head, f.committee.pick(f.dice)...)
	}
	f.head = append(f.head, "|N|"...)
	if f.below(10_000) < 4655 {
		f.head[len(conduit)+1] = 'A'
	}
	f.head = append(append(f.head, f.report.pick(f.dice)...), '|')

	month := f.imageMonth.pick(f.dice)
	f.year, f.month = 2015, f.below(12)
	f.image = append(f.image[:0], month...)
	if strings.HasPrefix(month, "201") {
		f.year, f.month = int(month[2]-'0')*10+int(month[3]-'0')+2000, int(month[4]-'0')*10+int(month[5])-'1'
		f.image = append(twoDigits(f.image, 1+f.below(28)), "90"...)
		f.image = f.digits(f.image, 4)
		f.pageDigits = 4
	} else {
		f.pageDigits = 5
	}
	f.page = f.below(5000)
	f.tail = number(append(f.tail[:0], '|'), 1_000_000+f.file.pick(f.dice)*17, 7)

	f.sub = append(f.sub[:0], '4')
	if f.oneIn(12) {
		f.sub[0] = '1' + byte(f.below(2))
	}
	f.sub = twoDigits(twoDigits(f.sub, f.month+1), 1+f.below(28))
	f.sub = strconv.AppendInt(f.sub, int64(f.year), 10)
	f.id, f.number = f.below(10), 1_000_000+f.below(90_000_000)
}

func twoDigits(out []byte, n int) []byte { return append(out, '0'+byte(n/10), '0'+byte(n%10)) }

func (f *filing) appendRow(out []byte) []byte {
	if f.left == 0 {
		f.begin()
	}
	f.left--
	out = append(out, f.head...)
	if k := f.below(10_000); k >= 1009 {
		out = append(out, "PPPPPPPPPPPPPPPPPGGRS"[(k-1009)*21/8991])
	}
	out = append(append(out, '|'), f.image...)
	f.page += f.below(2)
	out = number(out, f.page, f.pageDigits)
	out = append(out, [...]string{"|15|", "|15|", "|24T|", "|15E|", "|22Y|", "|10|"}[f.channel]...)
	if f.below(10_000) < 21 {
		out = append(out, [...]string{"ORG|", "CAN|", "PAC|", "COM|", "|"}[f.below(5)]...)
	} else {
		out = append(out, "IND|"...)
	}
	out = f.appendName(out)
	out = f.appendPlace(append(out, '|'))
	if f.below(1000) < 335 {
		out = append(out, f.atHome.pick(f.dice)...)
	} else {
		out = append(append(out, f.employer.pick(f.dice)...), '|')
		out = append(out, f.job.pick(f.dice)...)
	}
	out = f.appendDay(append(out, '|'))
	out = f.appendAmount(append(out, '|'))
	out = f.appendEnd(append(out, '|'))
	out = append(append(out, '|'), f.sub...)
	return append(f.digits(out, 10), '\n')
}

// number appends the last digits of n.
func number(out []byte, n, digits int) []byte {
	begin := len(out)
	for range digits {
		out = append(out, '0')
	}
	for i := len(out) - 1; i >= begin; i-- {
		out[i] += byte(n % 10)
		n /= 10
	}
	return out
}

// appendName appends last name, comma, first name and suffixes. A few names have no comma, a comma
// without a space, two commas, or misplaced spaces.
func (f *filing) appendName(out []byte) []byte {
	odd := f.below(10_000)
	if odd < 15 {
		return append(append(append(out, f.last.pick(f.dice)...), ' '), f.first.pick(f.dice)...)
	}
	switch {
	case odd < 130:
		out = append(append(out, f.last.pick(f.dice)...), '-')
	case odd < 250:
		out = append(out, [...]string{"DE ", "VAN ", "VON ", "MC "}[odd%4]...)
	case odd < 300:
		out = append(out, "O'"...)
	case odd == 300:
		out = append(out, ' ')
	}
	out = append(append(out, f.last.pick(f.dice)...), ", "...)
	switch {
	case odd > 9990: // a title between the two
		out = append(out, "MD, "...)
	case odd > 9986:
		out = out[:len(out)-1]
	case odd > 9980:
		out = append(out, ' ')
	}
	out = append(out, f.first.pick(f.dice)...)
	end := f.end.pick(f.dice)
	if end != "" {
		out = append(out, ' ')
	}
	for _, c := range []byte(end) {
		if c == '0' {
			c = 'A' + byte(f.below(26))
		}
		out = append(out, c)
	}
	return out
}

// appendPlace appends town, state and a ZIP code of five or nine digits.
func (f *filing) appendPlace(out []byte) []byte {
	if f.below(10_000) < 4 {
		return append(out, "|||"...)
	}
	out = append(out, f.town.pick(f.dice)...) // with the first three digits
	switch k := f.below(10_000); {
	case k < 5622:
		out = f.digits(out, 6)
	case k < 9970:
		out = f.digits(out, 2)
	case k < 9985:
		out = out[:len(out)-3]
	default:
		out = f.digits(out, f.below(6))
	}
	return append(out, '|')
}

// appendDay appends a day up to three months before the filing, often the last of a month.
func (f *filing) appendDay(out []byte) []byte {
	back := 1 + f.below(4)*f.below(4)/4
	month, year := f.month-back, f.year
	if month < 0 {
		month, year = month+12, year-1
	}
	day := 1 + f.below(28)
	if f.oneIn(6) {
		day = [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month]
	}
	return number(twoDigits(twoDigits(out, month+1), day), year, 4)
}

func (f *filing) appendAmount(out []byte) []byte {
	switch {
	case f.channel == refunded && f.oneIn(3):
		return strconv.AppendInt(append(out, '-'), int64(1+f.below(250)), 10)
	case f.below(100) < 8:
		return strconv.AppendInt(out, int64(1+f.below(1+f.below(700))), 10)
	case f.oneIn(3000):
		return strconv.AppendInt(out, int64(10_000+f.below(100_000)), 10)
	}
	return append(out, f.amount.pick(f.dice)...)
}

// alphabet32 is the alphabet of transaction identifiers.
var alphabet32 = [32]byte([]byte("0123456789ABCDEFGHJKMNPQRSTVWXYZ"))

// appendEnd appends the other committee, transaction identifier, file number, memo code and memo.
func (f *filing) appendEnd(out []byte) []byte {
	code, memo := "||", ""
	if f.below(10_000) < 56 {
		code = "|X|"
	}
	f.number += 1 + f.below(3)
	switch f.channel {
	case through:
		if f.below(100) < 9 {
			out, memo = append(out, '|'), "CONTRIBUTION TO ACTBLUE"
		} else {
			var to string
			to, memo, _ = strings.Cut(f.receiver.pick(f.dice), "|")
			out = append(append(out, to...), '|')
		}
		out = number(append(out, "SA11AI_"...), f.number, 8)
	case earmarked:
		out = append(append(out, conduit...), '|')
		memo = f.passedOn.pick(f.dice)
		out = f.appendTransaction(out)
	case noted:
		memo = f.note.pick(f.dice)
		out = f.appendTransaction(append(out, '|'))
	case refunded:
		if f.oneIn(3) {
			memo = "REFUND OF CONTRIBUTION, INITIALLY EARMARKED FOR ACTBLUE (" + conduit + ")"
		}
		out = number(append(out, "|SB28A_"...), f.number, 7)
	case separately:
		if f.oneIn(3) {
			memo = "NON-CONTRIBUTION ACCOUNT"
		}
		out = f.appendTransaction(append(out, '|'))
	default:
		out = f.appendTransaction(append(out, '|'))
	}
	return append(append(append(out, f.tail...), code...), memo...)
}

// appendTransaction appends a transaction identifier in the style of the program that made the filing.
func (f *filing) appendTransaction(out []byte) []byte {
	switch f.id {
	case 0, 1:
		return number(append(out, 'C'), f.number, 8)
	case 2:
		return number(append(number(out, f.number, 8), '-'), f.page, 4)
	case 3:
		return number(append(out, "SA11AI."...), f.number, 5)
	case 4:
		return f.symbols(f.symbols(append(out, 'A'), 10, &alphabet32), 9, &alphabet32)
	case 5:
		return number(append(append(out, "PR2"...), f.image[:4]...), f.number, 8)
	case 6:
		return number(append(append(out, "2017"...), f.sub[1:5]...), f.number, 8)
	}
	return f.symbols(append(out, 'V'), 10, &alphabet32)
}
