package anthropic

import "bytes"

type textPiece struct {
	index int
	text  string
}

// The JSON before and after the text of an event with a part of a text, as the API writes it.
var (
	deltaBegin = []byte(`{"type":"content_block_delta","index":`)
	deltaText  = []byte(`,"delta":{"type":"text_delta","text":"`)
	deltaEnd   = []byte(`"}}`)
)

// textDelta decodes an event with a part of a text without escapes, in the form in which the API writes
// it. Nearly all events of a stream have this form, and full decoding takes several times as long.
func textDelta(data []byte) (piece textPiece, ok bool) {
	rest, ok := bytes.CutPrefix(data, deltaBegin)
	if !ok {
		return piece, false
	}
	digits := 0
	for digits < len(rest) && '0' <= rest[digits] && rest[digits] <= '9' && digits < 6 {
		piece.index = piece.index*10 + int(rest[digits]-'0')
		digits++
	}
	rest, ok = bytes.CutPrefix(rest[digits:], deltaText)
	if !ok || digits == 0 {
		return piece, false
	}
	rest = bytes.TrimRight(rest, " ")
	text, ok := bytes.CutSuffix(rest, deltaEnd)
	if !ok || bytes.ContainsAny(text, `\"`) || !isPlain(text) {
		return piece, false
	}
	piece.text = string(text)
	return piece, true
}

// isPlain reports whether a text has no control characters and is UTF-8.
func isPlain(text []byte) bool {
	for _, c := range text {
		if c < ' ' {
			return false
		}
	}
	return bytes.Equal(bytes.ToValidUTF8(text, nil), text)
}
