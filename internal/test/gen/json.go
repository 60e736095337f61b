package gen

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"strconv"
)

// JSON writes one indented document of at most size bytes: an object with a list of orders, which
// are nested objects, indented by two spaces, with escapes and non-ASCII names in strings and all kinds
// of numbers. It is valid, so it ends with a whole order. If size is less than the length of an
// empty document, the output is longer than size.
//
// As in Log, a template of varied orders is made once, and each copy of an order gets a new number.
func JSON(w io.Writer, size int64, seed uint64) error {
	const head, tail = "{\n  \"kind\": \"orders\",\n  \"orders\": [", "\n  ]\n}\n"
	return writeOrders(w, size, seed, head, tail, ",", func(o order) ([]byte, error) {
		text, err := json.MarshalIndent(o, "    ", "  ")
		return append([]byte("\n    "), text...), err
	})
}

// NDJSON writes at most size bytes of the same orders, one to a line, with a space after each colon
// and comma outside strings, as many programs write it.
func NDJSON(w io.Writer, size int64, seed uint64) error {
	return writeOrders(w, size, seed, "", "", "", func(o order) ([]byte, error) {
		text, err := json.MarshalIndent(o, "", "")
		text = bytes.ReplaceAll(text, []byte(",\n"), []byte(", "))
		return append(bytes.ReplaceAll(text, []byte("\n"), nil), '\n'), err
	})
}

// writeOrders writes head, orders separated by comma, and tail.
func writeOrders(
	w io.Writer, size int64, seed uint64, head, tail, comma string, text func(order) ([]byte, error),
) error {
	r := rand.New(rand.NewPCG(seed, 6))
	template := make([][]byte, 1024)
	longest := 0
	for i := range template {
		var err error
		if template[i], err = text(newOrder(r)); err != nil {
			return err
		}
		longest = max(longest, len(template[i])+len(comma))
	}
	out := bufio.NewWriterSize(w, blockBytes)
	written, err := out.WriteString(head)
	if err != nil {
		return err
	}
	mark := []byte(strconv.Itoa(orderIDMin))
	left := size - int64(written) - int64(len(tail))
	for first := true; left >= int64(longest); first = false {
		if !first {
			left -= int64(len(comma))
			if _, err := out.WriteString(comma); err != nil {
				return err
			}
		}
		x := r.Uint64()
		order := template[x%uint64(len(template))]
		at := bytes.Index(order, mark)
		id := strconv.AppendUint(nil, orderIDMin+x>>10%orderIDMin, 10)
		for _, part := range [][]byte{order[:at], id, order[at+len(mark):]} {
			if _, err := out.Write(part); err != nil {
				return err
			}
		}
		left -= int64(len(order))
	}
	if _, err := out.WriteString(tail); err != nil {
		return err
	}
	return out.Flush()
}

// orderIDMin is the lowest order number. All order numbers have the same number of digits.
const orderIDMin = 1_000_000_000

type order struct {
	ID       int64             `json:"id"`
	Customer customer          `json:"customer"`
	Items    []item            `json:"items"`
	Note     *string           `json:"note"`
	Labels   map[string]string `json:"labels"`
	Paid     bool              `json:"paid"`
}

type customer struct {
	Name  string    `json:"name"`
	Email string    `json:"email"`
	Place []float64 `json:"place"`
}

type item struct {
	SKU      string      `json:"sku"`
	Title    string      `json:"title"`
	Quantity int         `json:"quantity"`
	Price    json.Number `json:"price"`
}

func newOrder(r *rand.Rand) order {
	titles := []string{"Espresso machine, 15 bar", "Tablecloth 140 x 200", "Monitor 27\"", "Grüner Tee, lose", "茶碗",
		"A book about \"everything\" and the rest of it", "USB-C cable, 2 m", "Socks (3 pairs)"}
	notes := []string{"please ring twice", "leave it at C:\\post\\in", "second line:\n\tgift wrap, please",
		"the one with the \"blue\" handle, as on the picture that I sent to you last week"}
	o := order{ID: orderIDMin, Paid: r.IntN(3) > 0}
	name := pick(r, names)
	o.Customer = customer{Name: name + " " + pick(r, names), Email: "user" + strconv.Itoa(r.IntN(1e6)) + "@example.com"}
	// Converted, a product is rounded before it is added to: some processors would do both at once.
	o.Customer.Place = []float64{float64(r.Float64()*180) - 90, float64(r.Float64()*360) - 180}
	for range r.IntN(5) {
		price := strconv.FormatFloat(r.ExpFloat64()*40, 'f', 2, 64)
		if r.IntN(10) == 0 {
			price = strconv.FormatFloat(r.ExpFloat64()*1e4, 'e', 3, 64)
		}
		o.Items = append(o.Items, item{
			SKU: strconv.FormatUint(r.Uint64()>>28, 36), Title: pick(r, titles),
			Quantity: 1 + r.IntN(9), Price: json.Number(price),
		})
	}
	if r.IntN(4) == 0 {
		note := pick(r, notes)
		o.Note = &note
	}
	if r.IntN(2) == 0 {
		o.Labels = map[string]string{"channel": pick(r, services), "route": pick(r, paths)}
	}
	return o
}
