package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Path leads to a part of a JSON document. Each step is the name of a member (a
// string) or the index of a list item (an int).
type Path []any

// String writes the path as people do: history[3].blocks[0].callId.
func (p Path) String() string {
	var b strings.Builder
	for _, step := range p {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			fmt.Fprint(&b, step)
		}
	}
	return b.String()
}

// then returns the path that goes on with steps.
func (p Path) then(steps ...any) Path { return append(slices.Clip(p), steps...) }

// offset returns where in data the value at the end of the path begins. When
// there is none, it is the deepest part that the path reaches. Decoding does
// not keep positions; only whoever reports an error needs one.
func (p Path) offset(data []byte) int {
	at := 0
	for _, step := range p {
		inner, ok := childOffset(data[at:], step)
		if !ok {
			break
		}
		at += inner
	}
	return at + len(data[at:]) - len(bytes.TrimLeft(data[at:], " \t\r\n"))
}

// childOffset finds a member or an item of the value at the start of data. Of
// members with one name the last counts, as everywhere in this program.
func childOffset(data []byte, step any) (offset int, found bool) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	open, _ := decoder.Token()
	for i := 0; decoder.More(); i++ {
		var key any = i
		if open == json.Delim('{') {
			key, _ = decoder.Token()
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			break
		}
		if key == step {
			offset, found = int(decoder.InputOffset())-len(value), true
		}
	}
	return offset, found
}
