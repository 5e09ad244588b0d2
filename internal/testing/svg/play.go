package svg

import (
	"fmt"
	"slices"
	"strings"
)

// A Frame is a screen of a recording, and the number of seconds for which it is shown.
type Frame struct {
	Rows    []string
	Seconds float64
}

// Play returns an animated picture of frames, in a window with the given numbers of columns and
// rows. The animation repeats. Readers who prefer reduced motion see the last frame. Each distinct
// row is drawn once, because frames of a terminal share most of their rows.
func Play(frames []Frame, columns, rows int, g Colors) string {
	width, height := float64(columns)*cellWidth+2*margin, rows*cellHeight+2*margin
	var defs, css, body strings.Builder
	var known []string
	total, at := 0.0, 0.0
	for _, f := range frames {
		total += f.Seconds
	}
	for i, f := range frames {
		visible := "hidden"
		if i == len(frames)-1 {
			visible = "visible"
		}
		fmt.Fprintf(&css, "@keyframes f%d{0%%{visibility:hidden}%.2f%%{visibility:visible}%.2f%%{visibility:hidden}}\n", i, 100*at/total, 100*(at+f.Seconds)/total)
		fmt.Fprintf(&css, "#f%d{visibility:%s}@media(prefers-reduced-motion:no-preference){#f%d{animation:f%d %.1fs step-end infinite}}\n", i, visible, i, i, total)
		at += f.Seconds
		fmt.Fprintf(&body, `<g id="f%d">`, i)
		for y, row := range f.Rows {
			n := slices.Index(known, row)
			if n < 0 {
				n, known = len(known), append(known, row)
				fmt.Fprintf(&defs, `<g id="r%d">`, n)
				drawRow(&defs, row, 0, g)
				defs.WriteString("</g>\n")
			}
			fmt.Fprintf(&body, `<use href="#r%d" y="%d"/>`, n, margin+y*cellHeight)
		}
		body.WriteString("</g>\n")
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="%d">`+"\n"+
		"<style>\n%s</style>\n<defs>\n%s</defs>\n"+`<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n%s</svg>\n",
		width, height, width, height, fontSize, css.String(), defs.String(), g.Back, body.String())
}
