package tokens

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCountKnownTexts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text          string
		o200k, cl100k int
	}{
		{"", 0, 0},
		{"hello world", 2, 2},
		{" unmerged", 2, 2},
		{"<|endoftext|>", 7, 7},
		{"\xff", 1, 1},
		{"漢字", 2, 3},
	}
	for _, test := range tests {
		if got := NewCounter(O200K).Count(test.text); got != test.o200k {
			t.Errorf("o200k_base: Count(%q) = %d, want %d", test.text, got, test.o200k)
		}
		if got := NewCounter(CL100K).Count(test.text); got != test.cl100k {
			t.Errorf("cl100k_base: Count(%q) = %d, want %d", test.text, got, test.cl100k)
		}
	}
}
