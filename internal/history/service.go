package history

import (
	"cmp"
	"errors"
	"slices"
	"sync"
)

// ErrCompressing is returned by changes that are not allowed while a compression rebuilds the
// history (ERR-030).
var ErrCompressing = errors.New("the history is being compressed; try again afterwards")

// Service owns a live conversation: its entries, their token counts, and the order in which the
// observer receives every change. It is safe for concurrent use. The views that it returns are
// snapshots that do not change. Entries are immutable.
type Service struct {
	mu          sync.Mutex
	counter     Counter
	observer    Observer
	entries     []counted
	total       int
	generation  uint64
	compressing bool
	waiting     []*Content
}

// NewService returns an empty history that counts with counter and reports every
// mutation to observer, which may be nil.
func NewService(counter Counter, observer Observer) *Service {
	if observer == nil {
		observer = func(Mutation) error { return nil }
	}
	return &Service{counter: counter, observer: observer}
}

// Add appends an entry of the turn loop and advances the generation (D-02). During a compression, the
// entry is queued, and is appended when the compression ends. An error comes from the observer: the
// entry is in the history but may not be on disk.
func (s *Service) Add(c *Content) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compressing {
		s.waiting = append(s.waiting, c)
		return nil
	}
	return s.append(c)
}

// append advances the generation together with the history. If the generation advanced earlier, an
// optimizer would count a queued entry as seen.
func (s *Service) append(c *Content) error {
	s.generation++
	entry := count(s.counter, c)
	s.entries = append(s.entries, entry)
	s.total += entry.tokens
	return s.observer(Mutation{Kind: MutationAdded, Entry: c, Tokens: entry.tokenCounts(s.counter)})
}

// Restore fills an empty history with recorded entries. The observer does not receive them, because it
// has recorded them already.
func (s *Service) Restore(entries []*Content) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.entries) > 0 || s.compressing {
		return errors.New("a session can only be restored into an empty history")
	}
	s.entries = countAll(s.counter, entries)
	s.generation += uint64(len(entries))
	s.resum()
	return nil
}

// RawHistory returns all entries in order (REQ-HD-003.5). The indexes of a DensityResult refer to this
// slice.
func (s *Service) RawHistory() []*Content {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.contents()
}

func (s *Service) contents() []*Content {
	contents := make([]*Content, len(s.entries))
	for i, e := range s.entries {
		contents[i] = e.content
	}
	return contents
}

// Curated returns the entries that can be sent, without empty entries, and the size of each in tokens.
func (s *Service) Curated() (entries []*Content, tokens []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries = make([]*Content, 0, len(s.entries))
	tokens = make([]int, 0, len(s.entries))
	for _, e := range s.entries {
		if e.content.Empty() {
			continue
		}
		entries = append(entries, e.content)
		tokens = append(tokens, e.tokens)
	}
	return entries, tokens
}

// Len returns the number of entries.
func (s *Service) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.entries)
}

// TotalTokens returns the estimated tokens of all entries.
func (s *Service) TotalTokens() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// Generation returns the number of entries that the turn loop added. The history is dirty for an
// optimizer while this number differs from the generation that it last processed (D-02).
func (s *Service) Generation() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.generation
}

// CountContent returns the estimated tokens of an entry that is not (yet) part of the history.
func (s *Service) CountContent(c *Content) int {
	return count(s.counterNow(), c).tokens
}

// CountBlocks returns the estimated tokens of blocks without an entry.
func (s *Service) CountBlocks(blocks []Block) int {
	return countBlocks(s.counterNow(), blocks)
}

func (s *Service) counterNow() Counter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counter
}

// SetCounter switches to another tokenizer and counts everything again. If the new counter has the same
// vocabulary, the counts are kept.
func (s *Service) SetCounter(counter Counter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	same := vocabularyOf(counter) != "" && vocabularyOf(counter) == vocabularyOf(s.counter)
	s.counter = counter
	if same {
		return
	}
	s.entries = countAll(counter, s.contents())
	s.resum()
}

// RecalculateTotalTokens adds up the stored token counts again and returns the total (REQ-HD-003.6,
// D-01).
func (s *Service) RecalculateTotalTokens() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resum()
	return s.total
}

// OmitThinking counts the thinking of the replies for which unsent reports true as not sent, and the
// thinking of the others as sent.
func (s *Service) OmitThinking(unsent func(reply *Content) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range s.entries {
		if e.content.Speaker == AI && unsent(e.content) != e.unsent {
			s.entries[i] = e.withThinking(s.counter, e.unsent)
		}
	}
	s.resum()
}

func (s *Service) resum() {
	s.total = 0
	for _, e := range s.entries {
		s.total += e.tokens
	}
}

// ApplyDensityResult edits the history as an optimizer requested: replacements, then removals
// (REQ-HD-003). It validates everything before it changes anything (D-23). If the result is faulty, it
// returns a *DensityError and changes nothing. It must only be called from the pre-send window
// (REQ-HD-002.10) and is refused during a compression. It sets the Tool and Tokens of each prune.
func (s *Service) ApplyDensityResult(r DensityResult) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compressing {
		return ErrCompressing
	}
	if err := r.validate(len(s.entries)); err != nil {
		return err
	}
	if r.Empty() {
		return nil
	}
	for index, c := range r.Replacements {
		s.entries[index] = recount(s.counter, c, s.entries[index])
	}
	s.remove(r.Removals)
	before := s.total
	s.resum()
	s.shareOut(before-s.total, r.Prunes)
	return s.observer(Mutation{Kind: MutationDensity, Result: r})
}

// shareOut sets the Tool and Tokens of each prune: the size of its own blocks, plus an equal share of
// the per-entry overhead. The sum of all Tokens is freed.
func (s *Service) shareOut(freed int, prunes []Prune) {
	for i, p := range prunes {
		prunes[i].Tool = toolOf(p.Gone)
		prunes[i].Tokens = countBlocks(s.counter, p.Gone) - countBlocks(s.counter, p.Left)
		freed -= prunes[i].Tokens
	}
	for i := range prunes {
		part := freed / (len(prunes) - i)
		prunes[i].Tokens += part
		freed -= part
	}
}

// remove removes entries in one pass, with the same outcome as removing them one by one from the
// highest index down (REQ-HD-003.3).
func (s *Service) remove(indices []int) {
	if len(indices) == 0 {
		return
	}
	sorted := slices.Sorted(slices.Values(indices))
	kept := s.entries[:sorted[0]]
	for i := sorted[0]; i < len(s.entries); i++ {
		if len(sorted) > 0 && sorted[0] == i {
			sorted = sorted[1:]
			continue
		}
		kept = append(kept, s.entries[i])
	}
	clear(s.entries[len(kept):])
	s.entries = kept
}

// RebuiltHistory is a history that replaces another. Gone lists the removed items. The Service sets their
// tools and tokens.
type RebuiltHistory struct {
	Entries []*Content
	Gone    []Prune
}

// Rebuild replaces the entries that can be sent by the entries that f returns. If f returns no entries,
// the history does not change. cause is the reason, for the session log. f may take as long as a model
// needs. Entries added meanwhile are queued, and are appended when f is done. Other changes are refused
// with ErrCompressing. If f returns an error, nothing changes.
func (s *Service) Rebuild(cause string, f func(entries []*Content, tokens []int) (RebuiltHistory, error)) (err error) {
	if err := s.startCompression(); err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, s.endCompression()) }()
	rebuilt, err := f(s.Curated())
	if err != nil || rebuilt.Entries == nil {
		return err
	}
	return s.replace(rebuilt, cause)
}

// startCompression begins a rebuild. Until endCompression, added entries are queued, and density
// results are refused.
func (s *Service) startCompression() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compressing {
		return ErrCompressing
	}
	s.compressing = true
	return nil
}

// replace replaces the history by other entries. It must be called between startCompression and
// endCompression. cause is the reason, for the session log. Entries that are in both keep their counts.
func (s *Service) replace(other RebuiltHistory, cause string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := make(map[*Content]counted, len(s.entries))
	for _, e := range s.entries {
		known[e.content] = e
	}
	s.measure(other.Gone)
	rebuilt := make([]counted, len(other.Entries))
	for i, c := range other.Entries {
		e, ok := known[c]
		if !ok {
			e = count(s.counter, c)
		}
		rebuilt[i] = e
	}
	s.entries = rebuilt
	s.resum()
	return s.observer(Mutation{Kind: MutationReplaced, Entries: other.Entries, Cause: cause, Gone: other.Gone})
}

// measure sets the tools and tokens of pruned items that are no longer in the history. It uses the
// counts of blocks that were counted earlier.
func (s *Service) measure(gone []Prune) {
	known := make(map[Block]int, 2*len(s.entries))
	for _, e := range s.entries {
		for i, tokens := range e.blocks {
			known[e.content.Blocks[i]] = tokens
		}
	}
	for i := range gone {
		p := &gone[i]
		p.Tool = toolOf(p.Gone)
		p.Tokens = -countBlocks(s.counter, p.Left)
		for _, block := range p.Gone {
			p.Tokens += known[block]
		}
	}
}

// toolOf returns the tool of the first call or response among blocks, or "" if there is none.
func toolOf(blocks []Block) string {
	for _, block := range blocks {
		switch b := block.(type) {
		case *ToolCall:
			return b.Name
		case *ToolResponse:
			return b.ToolName
		}
	}
	return ""
}

// endCompression ends the rebuild and appends the entries that were added in the meantime.
func (s *Service) endCompression() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compressing = false
	var errs []error
	for _, c := range s.waiting {
		errs = append(errs, s.append(c))
	}
	s.waiting = nil
	return errors.Join(errs...)
}

// Pin records that pruning must keep a file, or may prune it again. The path is absolute. The entries
// do not change.
func (s *Service) Pin(path string, pinned bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.observer(Mutation{Kind: MutationPinned, Path: path, Pinned: pinned})
}

// Clear empties the history. The observer keeps the log of it.
func (s *Service) Clear() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compressing {
		return ErrCompressing
	}
	s.entries, s.total = nil, 0
	return s.observer(Mutation{Kind: MutationCleared})
}

// Rewind replaces the history by entries, which are the history as it was before the record with the
// number to (D-80). Density has not processed them.
func (s *Service) Rewind(entries []*Content, to uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compressing {
		return ErrCompressing
	}
	s.entries = countAll(s.counter, entries)
	s.generation++
	s.resum()
	return s.observer(Mutation{Kind: MutationRewound, Entries: entries, To: to})
}
