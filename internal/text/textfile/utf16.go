package textfile

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// marks16 lists the byte order marks of UTF-16, which Windows programs write, with their byte
// orders.
var marks16 = []struct {
	mark  string
	order binary.ByteOrder
}{
	{"\xff\xfe", binary.LittleEndian},
	{"\xfe\xff", binary.BigEndian},
}

// IsUTF16 reports whether head begins with a byte order mark of UTF-16.
func IsUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte(marks16[0].mark)) || bytes.HasPrefix(head, []byte(marks16[1].mark))
}

// decode16 returns the text of a file in UTF-16 with a byte order mark, and its byte order. ok is
// false for other files, and for files that would change if they were encoded again.
func decode16(raw []byte) (text []byte, order binary.ByteOrder, ok bool) {
	for _, m := range marks16 {
		body, is := bytes.CutPrefix(raw, []byte(m.mark))
		if !is || len(body)%2 != 0 {
			continue
		}
		units := make([]uint16, len(body)/2)
		for i := range units {
			units[i] = m.order.Uint16(body[2*i:])
		}
		text = []byte(string(utf16.Decode(units)))
		if bytes.IndexByte(text, 0) < 0 && bytes.Equal(encode16(text, m.order), raw) {
			return text, m.order, true
		}
	}
	return nil, nil, false
}

// encode16 encodes a text in UTF-16 with a byte order mark. If order is nil, it returns the text in
// UTF-8.
func encode16(text []byte, order binary.ByteOrder) []byte {
	if order == nil {
		return text
	}
	units := append([]uint16{0xFEFF}, utf16.Encode([]rune(string(text)))...)
	raw := make([]byte, 2*len(units))
	for i, unit := range units {
		order.PutUint16(raw[2*i:], unit)
	}
	return raw
}
