package find

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"agent/internal/session"
)

// A Hit is an entry of a session that a query found.
type Hit struct {
	// Session is the id of the session, Log the path of its record and Workspace its folder.
	Session, Log, Workspace string
	// Entry is the number of the record.
	Entry uint64
	Time  time.Time
	Kind  string
	// Agent is the program that recorded the session, empty for this one.
	Agent string
	// Tools and Paths name the tools and the files of the calls in the entry.
	Tools, Paths []string
	// Score is the number of words that match.
	Score int
	Passage
}

// Options bound a search.
type Options struct {
	// In reports whether sessions of a workspace are searched; nil searches all.
	In func(workspace string) bool
	// Session is the id of the only session that is searched, Except of one that is not; empty for
	// none.
	Session, Except string
	// Most is the number of hits to return.
	Most int
}

// Results is the result of a search.
type Results struct {
	Hits []Hit
	// More is set if there are more hits than were asked for.
	More bool
	// NotIndexed is the number of sessions that are not in the index, because it has its full size.
	NotIndexed int
}

// A candidate is an entry that fits the index's part of a query: entry n of a segment.
type candidate struct {
	of       *segment
	n, score int32
	time     int64
}

func (c candidate) entry() entry { return c.of.entries[c.n] }
func (c candidate) log() string  { return c.of.parts[c.entry().part].log }

// candidates is a heap with the best candidate on top.
type candidates []candidate

func (c candidates) Len() int      { return len(c) }
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)   { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := len(*c) - 1
	popped := (*c)[last]
	*c = (*c)[:last]
	return popped
}

func (c candidates) Less(i, j int) bool {
	a, b := c[i], c[j]
	if a.score != b.score {
		return a.score > b.score
	}
	if a.time != b.time {
		return a.time > b.time
	}
	return cmp.Or(strings.Compare(b.log(), a.log()), cmp.Compare(b.entry().seq, a.entry().seq)) < 0
}

// attempts is how often a search begins again after it found the index damaged or a log changed.
const attempts = 3

// Search brings the index up to date, and returns the entries that fit a query. Entries in which
// more words match come first, and among equals the latest.
func (x Index) Search(ctx context.Context, q Query, o Options) (found Results, err error) {
	for range attempts {
		if found, err = x.search(ctx, q, o); !errors.Is(err, errDamaged) {
			break
		}
	}
	return found, err
}

func (x Index) search(ctx context.Context, q Query, o Options) (found Results, err error) {
	v, err := x.updated(ctx)
	if err != nil {
		return found, err
	}
	defer v.close()
	found.NotIndexed = v.left
	workspaces := v.workspaces()
	entries := 0
	for _, s := range v.segments {
		entries += len(s.entries)
	}
	all := make(candidates, 0, entries)
	for _, s := range v.segments {
		err := all.add(s, &q, func(log string) bool {
			id := sessionOf(log)
			return id != o.Except && (o.Session == "" || id == o.Session) && (o.In == nil || workspaces[log] != "" && o.In(workspaces[log]))
		})
		if errors.Is(err, errDamaged) { // the next update reads its logs anew
			err = errors.Join(err, x.remove(ctx, s.path))
		}
		if err != nil {
			return found, err
		}
	}
	heap.Init(&all)
	type copied struct {
		time int64
		seq  uint64
		text string
	}
	seen := map[copied]bool{} // a fork has the records of its parent
	for all.Len() > 0 {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		c := heap.Pop(&all).(candidate)
		d, err := x.document(c)
		if err != nil {
			continue // the log was deleted or changed at this moment
		}
		e := c.entry()
		same := copied{e.time, e.seq, d.text}
		if seen[same] || !q.phrasesFit(d.text) {
			continue
		}
		seen[same] = true
		if len(found.Hits) == o.Most {
			found.More = true
			break
		}
		found.Hits = append(found.Hits, Hit{
			Session: sessionOf(c.log()), Log: x.log(c.log()), Workspace: workspaces[c.log()],
			Entry: e.seq, Time: d.at, Kind: d.kind, Tools: compact(d.tools), Paths: compact(d.paths), Score: int(c.score), Passage: q.passage(d.text),
		})
	}
	return found, nil
}

// sessionOf returns the id of the session whose log has a name.
func sessionOf(log string) string { return strings.TrimSuffix(path.Base(log), ".jsonl") }

// workspaces returns the folder of each log, as its latest part has it.
func (v *view) workspaces() map[string]string {
	latest := map[string]part{}
	for _, s := range v.segments {
		for _, p := range s.parts {
			if p.to >= latest[p.log].to {
				latest[p.log] = p
			}
		}
	}
	folders := make(map[string]string, len(latest))
	for log, p := range latest {
		folders[log] = p.workspace
	}
	return folders
}

func compact(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// add adds the entries of a segment that fit all of a query but its phrases, of which only the
// words were looked up.
func (c *candidates) add(s *segment, q *Query, wanted func(log string) bool) error {
	inLog := make([]bool, len(s.parts))
	for i, p := range s.parts {
		inLog[i] = wanted(p.log)
	}
	if !slices.Contains(inLog, true) {
		return nil
	}
	scores, err := s.scores(q)
	if err != nil {
		return err
	}
	for n, score := range scores {
		if e := &s.entries[n]; score >= 0 && inLog[e.part] && q.in(time.UnixMilli(e.time)) {
			*c = append(*c, candidate{s, int32(n), score, e.time})
		}
	}
	return nil
}

// scores returns the number of words that match in each entry, -1 if the entry does not fit.
func (s *segment) scores(q *Query) ([]int32, error) {
	scores, marks := make([]int32, len(s.entries)), make([]int, len(s.entries))
	must := 0 // the terms of which all have to be there
	// with calls use once for each entry that has the term or, if whole is not set, a term that
	// begins with it.
	with := func(term string, whole bool, use func(n int)) error {
		seen := make([]bool, len(s.entries))
		return s.eachTerm(term, whole, func(list []int, _ string) {
			for _, n := range list {
				if !seen[n] {
					seen[n] = true
					use(n)
				}
			}
		})
	}
	for _, word := range q.words {
		if err := with(word, !begins(word), func(n int) { scores[n]++ }); err != nil {
			return nil, err
		}
	}
	for _, term := range q.required() {
		must++
		if err := with(term, true, func(n int) { marks[n]++ }); err != nil {
			return nil, err
		}
	}
	for n := range scores {
		if marks[n] < must || len(q.words) > 0 && scores[n] == 0 {
			scores[n] = -1
		}
	}
	for _, word := range q.without {
		if err := with(word, !begins(word), func(n int) { scores[n] = -1 }); err != nil {
			return nil, err
		}
	}
	return scores, nil
}

// required returns the terms that every fitting entry has.
func (q *Query) required() (terms []string) {
	for _, p := range q.phrases {
		if !p.absent {
			terms = append(terms, p.words...)
		}
	}
	for _, path := range q.paths {
		terms = append(terms, pathMark+path)
	}
	for _, tool := range q.tools {
		terms = append(terms, toolMark+tool)
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

// document reads the document of a candidate from its log, an answer with its calls if they are in
// the same segment.
func (x Index) document(c candidate) (d document, err error) {
	in := &reader{traits: x.Traits}
	e := c.entry()
	for n := c.n - 1; kinds[e.kind] == Result && n >= 0 && c.of.entries[n].part == e.part; n-- {
		if kind := kinds[c.of.entries[n].kind]; kind == Call || kind == Reply {
			_, _ = x.entry(c.log(), c.of.entries[n], in)
			break
		}
	}
	return x.entry(c.log(), e, in)
}

func (x Index) entry(log string, e entry, in *reader) (d document, err error) {
	r, err := session.ReadAt(x.log(log), e.at, e.length)
	if err != nil {
		return d, err
	}
	added := r.Entry()
	if added == nil || r.Seq != e.seq {
		return d, errDamaged
	}
	d, ok := in.document(added, r.Time)
	if !ok {
		return d, errDamaged
	}
	return d, nil
}
