package table

import (
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	t.Parallel()
	for want, got := range map[string][]string{
		"a   10  x\nbb   9\nあ   1  y": Lines("lrl", [][]string{{"a", "10", "x"}, {"bb", "9"}, {"あ", "1", "y"}}),
		"":                            Lines("l", nil),
	} {
		if got := strings.Join(got, "\n"); got != want {
			t.Errorf("\n%s\nwant\n%s", got, want)
		}
	}
}

// To fit a width, empty columns are removed first, then the least important ones. Finally lines are
// cut.
func TestFit(t *testing.T) {
	t.Parallel()
	columns := []Column{{"name", 2}, {"nothing", 3}, {"size", 0}, {"kind", 1}}
	rows := [][]string{{"alpha", "", "12", "file"}, {"be", "", "", "folder"}}
	for width, want := range map[int]string{
		0:  "name   size  kind\nalpha  12    file\nbe           folder",
		19: "name   size  kind\nalpha  12    file\nbe           folder",
		18: "name   kind\nalpha  file\nbe     folder",
		12: "name\nalpha\nbe",
		4:  "name\nalp…\nbe",
	} {
		if got := strings.Join(Fit(columns, rows, width), "\n"); got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", width, got, want)
		}
	}
}
