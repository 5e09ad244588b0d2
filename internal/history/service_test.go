package history

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorder is an observer that stores the mutations it receives.
type recorder struct {
	seen []Mutation
	err  error
}

func (r *recorder) observe(m Mutation) error {
	r.seen = append(r.seen, m)
	return r.err
}

func (r *recorder) kinds() []MutationKind {
	kinds := []MutationKind{}
	for _, m := range r.seen {
		kinds = append(kinds, m.Kind)
	}
	return kinds
}

// letters returns a service with one human entry for each letter, and an observer that has
// discarded their mutations.
func letters(t *testing.T, of string) (*Service, *recorder) {
	t.Helper()
	r := &recorder{}
	s := NewService(byteCounter{}, r.observe)
	for _, letter := range of {
		if err := s.Add(HumanText(string(letter))); err != nil {
			t.Fatal(err)
		}
	}
	r.seen = nil
	return s, r
}

// spell returns the texts of the entries joined to one word.
func spell(s *Service) string {
	word := ""
	for _, c := range s.RawHistory() {
		word += c.Text()
	}
	return word
}

func replace(index int, text string) map[int]*Content {
	return map[int]*Content{index: HumanText(text)}
}

// ApplyDensityResult removes and replaces entries (A-01, A-02, A-03, A-07, REQ-HD-001.5,
// REQ-HD-003.1, REQ-HD-003.2, REQ-HD-003.3, REQ-HD-003.4).
func TestApplyDensityResult(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id     string
		result DensityResult
		want   string
		told   int
	}{
		{"A-01 a removal and a replacement", DensityResult{Removals: []int{3}, Replacements: replace(1, "b")}, "AbCE", 1},
		{"A-01 the replacement stands after the removal", DensityResult{Removals: []int{1}, Replacements: replace(3, "d")}, "ACdE", 1},
		{"A-02 two removals", DensityResult{Removals: []int{1, 3}}, "ACE", 1},
		{"A-02 in the other order", DensityResult{Removals: []int{3, 1}}, "ACE", 1},
		{"A-02 everything", DensityResult{Removals: []int{4, 0, 2, 1, 3}}, "", 1},
		{"A-03 nothing", DensityResult{}, "ABCDE", 0},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			s, observer := letters(t, "ABCDE")
			before, generation := s.RawHistory(), s.Generation()
			if err := s.ApplyDensityResult(c.result); err != nil {
				t.Fatal(err)
			}
			if got := spell(s); got != c.want {
				t.Errorf("history is %q, want %q", got, c.want)
			}
			if want := len(c.want) * (EntryTokens + 1); s.TotalTokens() != want {
				t.Errorf("total is %d, want %d", s.TotalTokens(), want)
			}
			if s.Generation() != generation {
				t.Error("REQ-HD-002.6: density made the history dirty")
			}
			if len(observer.seen) != c.told {
				t.Fatalf("observer was told %v", observer.kinds())
			}
			if c.told == 1 {
				m := observer.seen[0]
				if m.Kind != MutationDensity || !slices.Equal(m.Result.Removals, c.result.Removals) {
					t.Errorf("observer was told %+v", m)
				}
			}
			if len(before) != 5 || before[1].Text() != "B" {
				t.Error("REQ-HD-003.5: a view taken before has changed")
			}
		})
	}
}

// ApplyDensityResult refuses an invalid result and changes nothing (A-04, A-05, A-06, ERR-010,
// ERR-011, ERR-012, ERR-013, REQ-HD-001.6, REQ-HD-001.7, BR-CONFLICT-001, D-23).
func TestApplyDensityResultRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id      string
		result  DensityResult
		problem DensityProblem
		index   int
	}{
		{"A-04 ERR-010 removed and replaced", DensityResult{Removals: []int{0, 1}, Replacements: replace(1, "b")}, DensityConflict, 1},
		{"A-05 ERR-011 removal at the end", DensityResult{Removals: []int{0, 5}}, DensityBounds, 5},
		{"A-05 ERR-011 negative removal", DensityResult{Removals: []int{-1}}, DensityBounds, -1},
		{"A-05 ERR-012 replacement at the end", DensityResult{Removals: []int{0}, Replacements: replace(5, "f")}, DensityBounds, 5},
		{"A-05 ERR-012 negative replacement", DensityResult{Replacements: replace(-1, "f")}, DensityBounds, -1},
		{"A-06 ERR-013 removed twice", DensityResult{Removals: []int{2, 0, 2}}, DensityDuplicate, 2},
		{"D-23 replaced by nothing", DensityResult{Removals: []int{0}, Replacements: map[int]*Content{3: nil}}, DensityEmpty, 3},
		{"D-23 replaced by no blocks", DensityResult{Removals: []int{0}, Replacements: map[int]*Content{3: New(Human)}}, DensityEmpty, 3},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			s, observer := letters(t, "ABCDE")
			before, total := s.RawHistory(), s.TotalTokens()
			err := s.ApplyDensityResult(c.result)
			var wrong *DensityError
			if !errors.As(err, &wrong) || *wrong != (DensityError{c.problem, c.index, 5}) {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(err.Error(), string(c.problem)) || !strings.Contains(err.Error(), "history unchanged") {
				t.Errorf("message: %v", err)
			}
			if !slices.Equal(before, s.RawHistory()) || s.TotalTokens() != total || len(observer.seen) > 0 {
				t.Errorf("changed by a refused result: %q, %d tokens, told %v", spell(s), s.TotalTokens(), observer.kinds())
			}
		})
	}
}

// During a compression, other changes are refused (A-08, ERR-030).
func TestChangesDuringACompressionAreRefused(t *testing.T) {
	t.Parallel()
	s, observer := letters(t, "ABC")
	if err := s.startCompression(); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"ApplyDensityResult":       s.ApplyDensityResult(DensityResult{Removals: []int{0}}),
		"ApplyDensityResult empty": s.ApplyDensityResult(DensityResult{}),
		"Clear":                    s.Clear(),
		"startCompression":         s.startCompression(),
	} {
		if !errors.Is(err, ErrCompressing) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := s.Restore(nil); err == nil {
		t.Error("Restore: allowed")
	}
	if spell(s) != "ABC" || len(observer.seen) > 0 {
		t.Errorf("history is %q, told %v", spell(s), observer.kinds())
	}
	if err := s.endCompression(); err != nil {
		t.Fatal(err)
	}
	if err := s.ApplyDensityResult(DensityResult{Removals: []int{0}}); err != nil || spell(s) != "BC" {
		t.Errorf("afterwards: %v, %q", err, spell(s))
	}
}

// D-24: an entry that is added during a compression waits, and the observer receives it after the
// compression.
func TestAddDuringCompression(t *testing.T) {
	t.Parallel()
	s, observer := letters(t, "AB")
	generation := s.Generation()
	if err := s.startCompression(); err != nil {
		t.Fatal(err)
	}
	c, d := HumanText("C"), HumanText("D")
	for _, entry := range []*Content{c, d} {
		if err := s.Add(entry); err != nil {
			t.Fatal(err)
		}
	}
	if spell(s) != "AB" || s.Len() != 2 || len(observer.seen) > 0 {
		t.Fatalf("while compressing: %q, told %v", spell(s), observer.kinds())
	}
	if s.Generation() != generation {
		t.Error("D-02: the history is dirty with an entry that no optimiser can see")
	}
	summary := HumanText("S")
	if err := s.replace(RebuiltHistory{Entries: []*Content{summary}}, "test"); err != nil {
		t.Fatal(err)
	}
	if s.Generation() != generation {
		t.Error("REQ-HD-002.6: compression made the history dirty")
	}
	if err := s.endCompression(); err != nil {
		t.Fatal(err)
	}
	if spell(s) != "SCD" || s.TotalTokens() != 3*(EntryTokens+1) {
		t.Errorf("history is %q, %d tokens", spell(s), s.TotalTokens())
	}
	if s.Generation() != generation+2 {
		t.Errorf("generation advanced by %d, want 2", s.Generation()-generation)
	}
	want := []Mutation{
		{Kind: MutationReplaced, Entries: []*Content{summary}, Cause: "test"},
		{Kind: MutationAdded, Entry: c},
		{Kind: MutationAdded, Entry: d},
	}
	if diff := cmp.Diff(want, observer.seen, cmp.Comparer(func(a, b *Content) bool { return a == b })); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if err := s.endCompression(); err != nil || spell(s) != "SCD" {
		t.Errorf("ended twice: %v, %q", err, spell(s))
	}
}

// A failed compression changes nothing and loses no entry.
func TestCompressionThatReplacesNothing(t *testing.T) {
	t.Parallel()
	s, observer := letters(t, "AB")
	if err := errors.Join(s.startCompression(), s.Add(HumanText("C")), s.endCompression()); err != nil {
		t.Fatal(err)
	}
	if spell(s) != "ABC" || !slices.Equal(observer.kinds(), []MutationKind{MutationAdded}) {
		t.Errorf("history is %q, told %v", spell(s), observer.kinds())
	}
}

// D-02, REQ-HD-002.6, REQ-HD-002.7: only content of the turn loop marks the history as dirty. A
// caller that stores the generation it optimized can detect a change.
func TestGeneration(t *testing.T) {
	t.Parallel()
	s, _ := letters(t, "ABC")
	if s.Generation() != 3 {
		t.Fatalf("generation is %d after three entries", s.Generation())
	}
	s.SetCounter(halfCounter{})
	s.RecalculateTotalTokens()
	if err := errors.Join(s.ApplyDensityResult(DensityResult{Removals: []int{0}}), s.Clear()); err != nil {
		t.Fatal(err)
	}
	if s.Generation() != 3 {
		t.Errorf("generation is %d", s.Generation())
	}
	if err := s.Restore([]*Content{HumanText("A")}); err != nil {
		t.Fatal(err)
	}
	if s.Generation() != 4 {
		t.Error("restored entries have not been optimised, and yet the history is clean")
	}
}

// D-24: the single observer receives every mutation once and in order. Its error is returned to the
// caller of the change, and the conversation continues.
func TestObserver(t *testing.T) {
	t.Parallel()
	s, observer := letters(t, "")
	steps := []func() error{
		func() error { return s.Add(HumanText("A")) },
		func() error { return s.ApplyDensityResult(DensityResult{Replacements: replace(0, "a")}) },
		func() error {
			if err := s.startCompression(); err != nil {
				return err
			}
			return s.replace(RebuiltHistory{Entries: s.RawHistory()}, "test")
		},
		func() error {
			if err := s.Add(HumanText("B")); err != nil {
				t.Errorf("told of an entry that waits: %v", err)
			}
			return s.endCompression()
		},
		s.Clear,
	}
	observer.err = errors.New("disk full")
	for i, step := range steps {
		if err := step(); !errors.Is(err, observer.err) {
			t.Errorf("step %d: got %v", i, err)
		}
		if len(observer.seen) != i+1 {
			t.Fatalf("step %d: told %v", i, observer.kinds())
		}
	}
	want := []MutationKind{MutationAdded, MutationDensity, MutationReplaced, MutationAdded, MutationCleared}
	if !slices.Equal(observer.kinds(), want) {
		t.Errorf("told %v, want %v", observer.kinds(), want)
	}
	if s.Len() != 0 || s.TotalTokens() != 0 {
		t.Errorf("cleared, and yet %d entries, %d tokens", s.Len(), s.TotalTokens())
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	s, observer := letters(t, "")
	if err := s.Restore([]*Content{HumanText("A"), HumanText("B")}); err != nil {
		t.Fatal(err)
	}
	if spell(s) != "AB" || s.TotalTokens() != 2*(EntryTokens+1) || len(observer.seen) > 0 {
		t.Errorf("history is %q, %d tokens, told %v", spell(s), s.TotalTokens(), observer.kinds())
	}
	if err := s.Restore([]*Content{HumanText("C")}); err == nil || spell(s) != "AB" {
		t.Errorf("restored over a conversation: %v, %q", err, spell(s))
	}
}

func TestNoObserver(t *testing.T) {
	t.Parallel()
	s := NewService(byteCounter{}, nil)
	if err := errors.Join(s.Add(HumanText("A")), s.Clear()); err != nil {
		t.Error(err)
	}
}

func TestCurated(t *testing.T) {
	t.Parallel()
	s := NewService(byteCounter{}, nil)
	empty := []*Content{New(AI), New(AI, &Thinking{Thought: "hm"}, &Text{Text: " \n"})}
	said := []*Content{HumanText("hello"), New(Human, &Media{MimeType: "image/png", Data: "AAAA"})}
	for _, c := range []*Content{empty[0], said[0], empty[1], said[1]} {
		if err := s.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	entries, tokens := s.Curated()
	if !slices.Equal(entries, said) || !slices.Equal(tokens, []int{EntryTokens + 5, EntryTokens + mediaTokens}) {
		t.Errorf("got %d entries of %v tokens", len(entries), tokens)
	}
	if s.Len() != 4 {
		t.Error("the raw history lost its empty entries")
	}
}

// Rebuild replaces the entries that can be sent, and keeps the entries that were added during it.
// It accepts no other change. An error or a nil result changes nothing and ends it.
func TestRebuild(t *testing.T) {
	t.Parallel()
	failed := errors.New("no summary")
	for _, tc := range []struct {
		name   string
		answer []*Content
		err    error
		want   string
		told   []MutationKind
	}{
		{"replaced", []*Content{HumanText("S")}, nil, "SN", []MutationKind{MutationReplaced, MutationAdded}},
		{"left as it is", nil, nil, "ABN", []MutationKind{MutationAdded}},
		{"failed", []*Content{HumanText("S")}, failed, "ABN", []MutationKind{MutationAdded}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, observer := letters(t, "AB")
			err := s.Rebuild("test", func(entries []*Content, tokens []int) (RebuiltHistory, error) {
				if len(entries) != 2 || len(tokens) != 2 {
					t.Errorf("given %d entries and %d counts", len(entries), len(tokens))
				}
				if err := s.Rebuild("inner", nil); !errors.Is(err, ErrCompressing) {
					t.Errorf("a rebuild within a rebuild: %v", err)
				}
				return RebuiltHistory{Entries: tc.answer}, errors.Join(s.Add(HumanText("N")), tc.err)
			})
			if !errors.Is(err, tc.err) || spell(s) != tc.want || !slices.Equal(observer.kinds(), tc.told) {
				t.Errorf("%q, told %v, %v", spell(s), observer.kinds(), err)
			}
			if err := s.Clear(); err != nil {
				t.Errorf("it has not ended: %v", err)
			}
		})
	}
}
