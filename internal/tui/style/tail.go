package style

import "strings"

// Tail renders the end of a text in at most height rows of width cells. Its
// cost does not depend on the length of the text.
func Tail(text string, width, height int) []string {
	if height <= 0 || width <= 0 {
		return nil
	}
	if most := 8 * width * height; len(text) > most {
		text = strings.ToValidUTF8(text[len(text)-most:], "")
	}
	text = strings.TrimRight(text, " \r\n")
	at := len(text)
	for range height {
		if at = strings.LastIndexByte(text[:at], '\n'); at < 0 {
			break
		}
	}
	text = strings.TrimLeft(text[at+1:], "\n")
	if text == "" {
		return nil
	}
	rows := WrapText(Clean(text), width)
	return rows[max(0, len(rows)-height):]
}
