package notebook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"agent/internal/base/rawjson"
	"agent/internal/text/lines"
)

// A part is a cell of an edited text.
type part struct {
	// number is the number of the cell in the file, 0 for a new one.
	number     int
	kind, text string
	outputs    string
}

// Encode returns the file with the cells of an edited text. If text does not describe cells, Encode
// returns an error that names the wrong part.
func (n *Notebook) Encode(text string) ([]byte, error) {
	parts, err := n.parts(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	last := 0
	for i, p := range parts {
		b.WriteString(n.textBefore(i, last, p.number))
		if last = p.number; last == 0 {
			b.WriteString(n.newCell(p, i))
			continue
		}
		c := n.cells[p.number-1]
		b.Write(n.raw[c.at.start:c.source.start])
		b.Write(n.source(c, p.text))
		b.Write(n.raw[c.source.end:c.at.end])
	}
	b.WriteString(n.textAfter(len(parts)))
	after := bytes.Join([][]byte{n.raw[:n.body.start+1], b.Bytes(), n.raw[n.body.end-1:]}, nil)
	return after, n.check(after, parts)
}

// check returns an error if the edited file does not contain the wanted cells.
func (n *Notebook) check(after []byte, parts []part) error {
	now, err := Parse(after)
	if err == nil && len(now.cells) != len(parts) {
		err = fmt.Errorf("it would have %d cells, not %d", len(now.cells), len(parts))
	}
	for i, p := range parts {
		if err == nil && (now.cells[i].text != p.text || now.cells[i].kind != p.kind) {
			err = fmt.Errorf("cell %d would differ from the expected result", i+1)
		}
	}
	if err != nil {
		return fmt.Errorf("the notebook would be damaged: %w", err)
	}
	return nil
}

func (n *Notebook) parts(text string) ([]part, error) {
	var parts []part
	last, inOutputs := 0, false
	for _, line := range lines.Split(text) {
		words := strings.Fields(line)
		head := ""
		if strings.HasPrefix(line, n.mark+" ") && len(words) > 1 {
			head = words[1]
		}
		switch {
		case head == "cell":
			p, err := n.begin(words[2:])
			if err != nil {
				return nil, err
			}
			if p.number > 0 && p.number <= last {
				return nil, fmt.Errorf("cell %d appears twice or out of order", p.number)
			}
			last, inOutputs = max(last, p.number), false
			parts = append(parts, p)
		case len(parts) == 0:
			return nil, fmt.Errorf("the text must begin with a cell line, such as \"%s cell code\"", n.mark)
		case head == "output" || inOutputs:
			inOutputs = true
			parts[len(parts)-1].outputs += line
		default:
			parts[len(parts)-1].text += line
		}
	}
	for i, p := range parts {
		parts[i].text = strings.TrimSuffix(p.text, "\n")
		was := ""
		if p.number > 0 {
			was = n.outputsOf(p.number - 1)
		}
		if p.outputs != was {
			return nil, fmt.Errorf("the edit changes the outputs of cell %d. Outputs can't be edited; running the notebook creates them", i+1)
		}
	}
	return parts, nil
}

// begin parses the words after "cell" in the line that begins a cell.
func (n *Notebook) begin(words []string) (part, error) {
	number, err := 0, error(nil)
	if len(words) > 0 {
		if number, err = strconv.Atoi(words[0]); err == nil {
			words = words[1:]
		}
	}
	kind := strings.Join(words, " ")
	switch {
	case kind != "code" && kind != "markdown" && kind != "raw":
		return part{}, fmt.Errorf("unknown kind of cell %q; use code, markdown or raw", kind)
	case err == nil && (number < 1 || number > len(n.cells)):
		return part{}, fmt.Errorf("there is no cell %d; to add a cell, omit the number from its cell line", number)
	case err == nil && kind != n.cells[number-1].kind:
		return part{}, fmt.Errorf("the kind of cell %d (%s) can't be changed; delete the cell and add a new one", number, n.cells[number-1].kind)
	case err != nil:
		number = 0
	}
	return part{number: number, kind: kind}, nil
}

// textBefore returns the JSON text before the cell at index place of the list. It keeps the
// original text between two cells that were neighbors in the file.
func (n *Notebook) textBefore(place, last, number int) string {
	if last > 0 && number == last+1 {
		return string(n.raw[n.cells[last-1].at.end:n.cells[number-1].at.start])
	}
	lead := "\n  "
	if len(n.cells) > 0 {
		lead = string(n.raw[n.body.start+1 : n.cells[0].at.start])
	}
	if place == 0 {
		return lead
	}
	if len(n.cells) > 1 {
		return string(n.raw[n.cells[0].at.end:n.cells[1].at.start])
	}
	return "," + lead
}

// textAfter returns the JSON text after the last of count cells.
func (n *Notebook) textAfter(count int) string {
	switch {
	case count == 0:
		return ""
	case len(n.cells) == 0:
		return "\n "
	}
	return string(n.raw[n.cells[len(n.cells)-1].at.end : n.body.end-1])
}

// source returns text as the JSON value of the source of c: a string or a list of lines, as in the file.
// An unchanged source, and unchanged lines of a list, are copied byte for byte.
func (n *Notebook) source(c cell, text string) []byte {
	switch {
	case text == c.text:
		return c.source.of(n.raw)
	case !c.list:
		return rawjson.AppendString(nil, strings.ReplaceAll(text, "\n", c.newline))
	}
	had := map[string][]byte{}
	for _, at := range c.lines {
		var line string
		if json.Unmarshal(at.of(n.raw), &line) == nil {
			had[strings.ReplaceAll(line, "\r\n", "\n")] = at.of(n.raw)
		}
	}
	return n.list(text, c.newline, had)
}

// list returns a source as a JSON list of lines, formatted like the other lists of the file.
// newline ends the lines in the file. had maps unchanged lines to their bytes.
func (n *Notebook) list(text, newline string, had map[string][]byte) []byte {
	if text == "" {
		return []byte("[]")
	}
	lead, tail := "\n    ", "\n   "
	if !bytes.Contains(n.body.of(n.raw), []byte("\n")) && len(n.cells) > 0 {
		lead, tail = "", ""
	}
	for _, c := range n.cells {
		if len(c.lines) > 0 {
			lead, tail = string(n.raw[c.source.start+1:c.lines[0].start]), string(n.raw[c.lines[len(c.lines)-1].end:c.source.end-1])
			break
		}
	}
	out := []byte("[")
	for i, line := range lines.Split(text) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, lead...)
		if bytes, same := had[line]; same {
			out = append(out, bytes...)
		} else {
			out = rawjson.AppendString(out, strings.ReplaceAll(line, "\n", newline))
		}
	}
	return append(append(out, tail...), ']')
}

// newCell returns a new cell as JSON, formatted like the first cell of the file.
func (n *Notebook) newCell(p part, place int) string {
	lead, tail, colon := "\n   ", "\n  ", ": "
	if len(n.cells) > 0 {
		c := n.cells[0].at.of(n.raw)
		lead, tail = string(c[1:bytes.IndexByte(c, '"')]), string(c[len(bytes.TrimRight(c[:len(c)-1], " \t\r\n")):len(c)-1])
		if !bytes.Contains(c, []byte(`": `)) {
			colon = ":"
		}
	}
	members := [][2]string{{"cell_type", `"` + p.kind + `"`}}
	if p.kind == "code" {
		members = append(members, [2]string{"execution_count", "null"})
	}
	if n.ids {
		members = append(members, [2]string{"id", `"` + n.newID(p, place) + `"`})
	}
	members = append(members, [2]string{"metadata", "{}"})
	if p.kind == "code" {
		members = append(members, [2]string{"outputs", "[]"})
	}
	members = append(members, [2]string{"source", string(n.list(p.text, "\n", nil))})
	for i, m := range members {
		members[i][1] = `"` + m[0] + `"` + colon + m[1]
	}
	out := "{"
	for i, m := range members {
		if i > 0 {
			out += ","
		}
		out += lead + m[1]
	}
	return out + tail + "}"
}

// newID returns an ID that no cell has.
func (n *Notebook) newID(p part, place int) string {
	for try := 0; ; try++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", place, try, p.text))
		if id := hex.EncodeToString(sum[:4]); !bytes.Contains(n.raw, []byte(id)) {
			return id
		}
	}
}
