package cmdline

import (
	"fmt"
	"testing"
)

func TestCore(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"cd a; cd 'b c' && go   test ./... 2>&1 | tail -n 5": "go test ./... [[go test ./...]] [{tail 5}] true false",
		"go vet |& head -20 | tail -3":                       "go vet [[go vet]] [{tail 3} {head 20}] true false",
		"ls 2>/dev/null":                                     "ls [[ls]] [] false true",
		"git log | tail -n +5":                               "git log | tail -n +5 [[git log] [tail -n +5]] [] false false",
		"a; b | tail -5":                                     "a; b [] [{tail 5}] false false",
		"cat $FILE":                                          "cat $FILE [] [] false false",
		"go test > out 2>&1 &":                               "go test > out 2>&1 & [] [] false false",
		"echo 'unfinished":                                   "echo 'unfinished [] [] false false",
	} {
		c := Read(line).Core()
		if got := fmt.Sprint(c.Text, " ", c.Pipe, " ", c.Ends, " ", c.Merged, " ", c.Silent); got != want {
			t.Errorf("%q has the core %s, want %s", line, got, want)
		}
	}
}
