package shell

import (
	"strings"
	"sync/atomic"
	"testing"
)

// An output that exceeds the limit by up to a tenth is not cut. A longer one is cut to the limit.
func TestOutputIsNotCutForATenth(t *testing.T) {
	t.Parallel()
	const limit, line = 1000, "123456789\n"
	for lines, whole := range map[int]bool{90: true, 100: true, 110: true, 111: false, 400: false} {
		for _, piece := range []int{1, 7, lines} {
			o := newOutput(limit, nil, t.TempDir(), &atomic.Int64{})
			all := strings.Repeat(line, lines)
			for rest := all; rest != ""; rest = rest[min(piece*len(line), len(rest)):] {
				if _, err := o.Write([]byte(rest[:min(piece*len(line), len(rest))])); err != nil {
					t.Fatal(err)
				}
			}
			o.close()
			text, file := o.text()
			if whole && (text != all || file != "") {
				t.Errorf("%d lines in pieces of %d: %d bytes and file %q, want all and none", lines, piece, len(text), file)
			}
			if !whole && (len(text) > limit+300 || file == "" || !strings.Contains(text, "left out here")) {
				t.Errorf("%d lines in pieces of %d: %d bytes and file %q, want a cut and a file", lines, piece, len(text), file)
			}
		}
	}
}
