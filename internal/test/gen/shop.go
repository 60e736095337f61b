package gen

import (
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// ShopTable is one of the three tables of a shop: what was sold, the orders that this belongs to, and the products.
// Fields end with a bar, also the last one, and there is no header.
type ShopTable struct {
	Name    string
	Columns []string // pairs of the columns' names and SQL's types
	perSale int64    // rows of the first table for one of this
	row     func(s *shop, n int64, out []byte) []byte
}

// Shop returns the tables.
func Shop() []ShopTable {
	const integer, text, number, date = "BIGINT", "VARCHAR", "DECIMAL(15, 2)", "DATE"
	return []ShopTable{
		{"sales", []string{"order_id", integer, "product_id", integer, "seller_id", integer, "line", integer,
			"pieces", integer, "price", number, "discount", number, "tax", number, "back", text, "state", text,
			"shipped", date, "due", date, "arrived", date, "handling", text, "carrier", text, "note", text}, 1, (*shop).sale},
		{"orders", []string{"order_id", integer, "customer_id", integer, "state", text, "total", number, "day", date,
			"priority", text, "clerk", text, "note", text}, linesOfOrder, (*shop).order},
		{"products", []string{"product_id", integer, "name", text, "brand", text, "kind", text, "size", integer,
			"box", text, "retail", number}, salesOfProduct, (*shop).product},
	}
}

const linesOfOrder, salesOfProduct = 4, 30

// Write writes the rows that belong to so many sales.
func (t ShopTable) Write(w io.Writer, sales int64, seed uint64) error {
	return writeRows(w, max(1, sales/t.perSale), seed^uint64(len(t.Name)), func(d *dice, row int64) func([]byte) []byte {
		s := &shop{dice: d, products: int(max(1, sales/salesOfProduct))}
		return func(out []byte) []byte {
			row++
			return append(t.row(s, row, out), '|', '\n')
		}
	})
}

// shop is a table that is written.
type shop struct {
	*dice
	products int
}

var (
	shopDays    = time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC)
	handlings   = strings.Split("hand it over|leave it at the door|ring twice|none", "|")
	carriers    = strings.Split("van|air|air express|rail|ship|bike|lorry", "|")
	priorities  = strings.Split("1 now|2 high|3 usual|4 low|5 whenever", "|")
	kinds       = strings.Split("OFFER|PLAIN|SMALL|LARGE|BASIC|EXTRA", "|")
	materials   = strings.Split("steel|brass|copper|nickel|tin", "|")
	boxSizes    = strings.Split("S|M|L|XL|GIFT", "|")
	boxes       = strings.Split("box|bag|case|pack|jar|drum|can|wrap", "|")
	wordsOfNote = strings.Split("careful|quick|late|gift|again|ask|wait|door|left|blue|red|call|pack|tape|the|of", "|")
)

func (s *shop) of(all []string) string { return all[s.below(len(all))] }

// note appends some words.
func (s *shop) note(out []byte, most int) []byte {
	for range 1 + s.below(most) {
		out = append(append(out, s.of(wordsOfNote)...), ' ')
	}
	return out[:len(out)-1]
}

// dayOf returns the day of an order, which its number tells.
func dayOf(order int64) int {
	hash, _ := bits.Mul64(uint64(order)*0x9e3779b97f4a7c15, 2400)
	return int(hash)
}

func appendDay(out []byte, day int) []byte {
	return shopDays.AddDate(0, 0, day).AppendFormat(out, time.DateOnly)
}

func (s *shop) cents(out []byte, below int) []byte {
	n := s.below(below)
	return twoDigits(append(appendInt(out, n/100), '.'), n%100)
}

func (s *shop) sale(n int64, out []byte) []byte {
	order := 1 + (n-1)/linesOfOrder
	shipped := dayOf(order) + 1 + s.below(120)
	out = fmt.Appendf(out, "%d|%d|%d|%d|%d|", order, 1+s.below(s.products), 1+s.below(1000), 1+(n-1)%linesOfOrder,
		1+s.below(50))
	out = append(s.cents(out, 10_000_000), '|')
	out = append(twoDigits(append(out, "0."...), s.below(11)), '|')
	out = append(twoDigits(append(out, "0."...), s.below(9)), '|')
	out = append(out, "ARN"[s.below(3)], '|', "FO"[s.below(2)], '|')
	out = append(appendDay(out, shipped), '|')
	out = append(appendDay(out, shipped-30+s.below(60)), '|')
	out = append(appendDay(out, shipped+1+s.below(30)), '|')
	out = append(append(append(append(out, s.of(handlings)...), '|'), s.of(carriers)...), '|')
	return s.note(out, 6)
}

func (s *shop) order(n int64, out []byte) []byte {
	out = append(strconv.AppendInt(out, n, 10), '|')
	out = append(appendInt(out, 1+s.below(100_000)), '|', "FOP"[s.below(3)], '|')
	out = append(s.cents(out, 50_000_000), '|')
	out = append(appendDay(out, dayOf(n)), '|')
	out = append(append(out, s.of(priorities)...), '|')
	out = append(s.digits(append(out, "clerk "...), 4), '|')
	return s.note(out, 12)
}

func (s *shop) product(n int64, out []byte) []byte {
	out = append(s.note(append(strconv.AppendInt(out, n, 10), '|'), 5), '|')
	out = append(s.digits(append(out, "Brand "...), 1), '|')
	out = append(append(append(append(out, s.of(kinds)...), ' '), s.of(materials)...), '|')
	out = append(appendInt(out, 1+s.below(50)), '|')
	out = append(append(append(append(out, s.of(boxSizes)...), ' '), s.of(boxes)...), '|')
	return s.cents(out, 200_000)
}
