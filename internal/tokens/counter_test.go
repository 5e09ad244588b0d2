package tokens

import (
	"sync"
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
		if got := counterFor(O200K).Count(test.text); got != test.o200k {
			t.Errorf("o200k_base: Count(%q) = %d, want %d", test.text, got, test.o200k)
		}
		if got := counterFor(CL100K).Count(test.text); got != test.cl100k {
			t.Errorf("cl100k_base: Count(%q) = %d, want %d", test.text, got, test.cl100k)
		}
	}
}

// Issue 3, point 2: the vocabulary loads in the background, and who counts before
// it is there waits and gets the right count.
func TestCountWaitsForVocabulary(t *testing.T) {
	t.Parallel()
	counter := Load(CL100K)
	var counting sync.WaitGroup
	for range 4 {
		counting.Go(func() {
			if got := counter.Count("hello world"); got != 2 {
				t.Errorf("Count = %d, want 2", got)
			}
		})
	}
	counting.Wait()
	select {
	case <-counter.Ready():
	default:
		t.Error("Count returned before the vocabulary was ready")
	}
}

func TestVocabulariesLoadOnce(t *testing.T) {
	t.Parallel()
	var vocabularies Vocabularies
	gpt4o, gpt5, gpt4 := vocabularies.Counter("gpt-4o"), vocabularies.Counter("gpt-5"), vocabularies.Counter("gpt-4")
	if gpt4o != gpt5 {
		t.Error("two models of one encoding load its vocabulary twice")
	}
	if gpt4o == gpt4 {
		t.Error("models of different encodings share a counter")
	}
	<-gpt4o.Ready()
	<-gpt4.Ready()
}
