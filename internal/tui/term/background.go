package term

import (
	"strconv"
	"strings"
	"time"
)

// The terminal is queried for its background color once, after the first paint, without waiting. The
// decoder recognizes the answer among the typed keys whenever it arrives. An answer later than
// BackgroundLimit is ignored, so that colors do not change while the user reads. The palette is readable
// without an answer.
const (
	// BackgroundQuery queries the terminal for its background color.
	BackgroundQuery  = "\x1b]11;?\x1b\\"
	backgroundAnswer = "\x1b]11;"
	// BackgroundLimit is the time within which the answer must arrive.
	BackgroundLimit = 100 * time.Millisecond
)

// isDark parses an answer such as "rgb:1e1e/1e1e/1e1e". known is false if the answer has another
// form.
func isDark(answer string) (dark, known bool) {
	_, color, ok := strings.Cut(answer, ":")
	parts := strings.Split(color, "/")
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

// DeclaredBackground parses COLORFGBG, which some terminals set to "FG;BG", as numbers of the sixteen
// colors.
func DeclaredBackground(colorFGBG string) (dark, known bool) {
	at := strings.LastIndexByte(colorFGBG, ';')
	n, err := strconv.Atoi(colorFGBG[at+1:])
	if at < 0 || err != nil {
		return false, false
	}
	return n < 7 || n == 8, true
}
