package term

import (
	"strconv"
	"strings"
	"time"
)

// The terminal is asked for its background colour once, after the first paint, and nobody waits:
// the decoder recognises the answer among the typed keys whenever it comes. An answer later than
// BackgroundLimit is not used, so that colours do not change under the reader's eyes. The palette
// is readable without an answer.
const (
	// BackgroundQuery asks the terminal for its background colour.
	BackgroundQuery  = "\x1b]11;?\x1b\\"
	backgroundAnswer = "\x1b]11;"
	// BackgroundLimit is the time within which an answer counts.
	BackgroundLimit = 100 * time.Millisecond
)

// isDark parses an answer such as "rgb:1e1e/1e1e/1e1e". known is false if the answer has another
// form.
func isDark(answer string) (dark, known bool) {
	_, colour, ok := strings.Cut(answer, ":")
	parts := strings.Split(colour, "/")
	if !ok || len(parts) < 3 {
		return false, false
	}
	var rgb [3]float64
	for i := range rgb {
		n, err := strconv.ParseUint(parts[i], 16, 16)
		if err != nil {
			return false, false
		}
		rgb[i] = float64(n) / float64(uint64(1)<<(4*len(parts[i]))-1)
	}
	return 0.299*rgb[0]+0.587*rgb[1]+0.114*rgb[2] < 0.5, true
}

// DeclaredBackground parses COLORFGBG, which some terminals set to "FG;BG" in numbers of the
// sixteen colours.
func DeclaredBackground(colorFGBG string) (dark, known bool) {
	at := strings.LastIndexByte(colorFGBG, ';')
	n, err := strconv.Atoi(colorFGBG[at+1:])
	if at < 0 || err != nil {
		return false, false
	}
	return n < 7 || n == 8, true
}
