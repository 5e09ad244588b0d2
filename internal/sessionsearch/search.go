package sessionsearch

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"agent/internal/history"
	"agent/internal/session"
)

// A Hit is an entry of a session that a query found.
type Hit struct {
	// Session is the id of the session, Log is the path of its record, and Workspace is its folder.
	Session, Log, Workspace string
	// Entry is the number of the record.
	Entry uint64
	Time  time.Time
	Kind  string
	// Agent is the program that recorded the session, or "" for this program.
	Agent string
	// Tools and Paths are the names of the tools and the files of the calls in the entry.
	Tools, Paths []string
	// Score is the number of words that match.
	Score int
	Passage
}

// Options limit a search.
type Options struct {
	// In reports whether sessions of a workspace are searched. If it is nil, all are searched.
	In func(workspace string) bool
	// Session is the id of the only session to search, and Except is the id of a session to omit. Both are
	// "" for none.
	Session, Except string
	// Most limits the number of hits.
	Most int
	// Progress is called with the number of bytes read so far and the total; it may be nil.
	Progress func(read, all int64)
}

// Results is the result of a search.
type Results struct {
	Hits []Hit
	// More is set if there are more hits than the limit.
	More bool
}

// largestRecord limits a record that is searched, in bytes.
const largestRecord = 32 << 20

// A span is the position of a record in a log.
type span struct {
	at     int64
	length int
}

// A candidate is a record that may match a query.
type candidate struct {
	in *source
	span
	// reply is the position of the latest reply before the record. The record may answer its calls.
	reply span
	seq   uint64
	time  time.Time
	// score is the score of the document if the document is known. Otherwise it is an upper limit of the
	// score.
	score int
	*document
}

// A source is a log with the workspace of its session.
type source struct {
	log
	workspace string
}

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
	return cmp.Or(cmp.Compare(b.score, a.score), b.time.Compare(a.time), strings.Compare(b.in.path, a.in.path), cmp.Compare(b.seq, a.seq)) < 0
}

// Search returns the entries that match a query. Entries in which more words match come first. Among
// entries with the same number, the latest comes first.
func (x Sessions) Search(ctx context.Context, q Query, o Options) (found Results, err error) {
	all, err := x.candidates(ctx, newPrefilter(&q), &q, o)
	if err != nil {
		return found, err
	}
	heap.Init(&all)
	type copied struct {
		time time.Time
		seq  uint64
		text string
	}
	seen := map[copied]bool{} // a fork contains the records of its parent
	for all.Len() > 0 {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		c := &all[0]
		if c.document == nil {
			d, err := x.document(*c)
			if c.score = q.score(d); err != nil || c.score < 0 { // the log may have changed since it was searched
				heap.Pop(&all)
				continue
			}
			c.document = &d
			heap.Fix(&all, 0)
			continue
		}
		best := heap.Pop(&all).(candidate)
		same := copied{best.time, best.seq, best.text}
		if seen[same] {
			continue
		}
		seen[same] = true
		if len(found.Hits) == o.Most {
			found.More = true
			break
		}
		found.Hits = append(found.Hits, best.hit(&q))
	}
	return found, nil
}

func (c candidate) hit(q *Query) Hit {
	return Hit{
		Session: c.in.id(), Log: c.in.path, Workspace: c.in.workspace,
		Entry: c.seq, Time: c.time, Kind: c.kind, Tools: compact(c.tools), Paths: compact(c.paths), Score: c.score, Passage: q.passage(c.text),
	}
}

func compact(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// candidates returns the records of the logs that may match a query.
func (x Sessions) candidates(ctx context.Context, s *prefilter, q *Query, o Options) (all candidates, err error) {
	logs, err := x.logs()
	if err != nil {
		return nil, fmt.Errorf("can't list the sessions: %w", err)
	}
	logs = slices.DeleteFunc(logs, func(l log) bool { return l.id() == o.Except || o.Session != "" && l.id() != o.Session })
	var read, size int64
	for _, l := range logs {
		size += l.size
	}
	progress := func(n int64) error {
		if o.Progress != nil {
			o.Progress(min(read+n, size), size)
		}
		return ctx.Err()
	}
	for _, l := range logs {
		in := &source{log: l}
		some, err := in.candidates(s, q, progress)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue // the log was deleted, or belongs to another user
		}
		if err != nil {
			return nil, fmt.Errorf("can't read session %s: %w", l.id(), err)
		}
		if o.In == nil || in.workspace != "" && o.In(in.workspace) {
			all = append(all, some...)
		}
		read += l.size
	}
	return all, nil
}

// progressBytes is the number of bytes between two reports of progress.
const progressBytes = 1 << 20

// candidates returns the records of a log that may match a query, and sets the workspace.
func (in *source) candidates(s *prefilter, q *Query, progress func(read int64) error) (found candidates, err error) {
	var reply span
	replyNames, reported := false, int64(-progressBytes)
	for line, err := range session.ReadLines(in.path) {
		if err == nil && line.At-reported >= progressBytes {
			reported, err = line.At, progress(line.At)
		}
		if err != nil {
			return nil, err
		}
		if _, opens := line.Payload(session.TypeSession); opens {
			if r, err := line.Parse(); err == nil {
				in.workspace = cmp.Or(r.OpenedWorkspace(), in.workspace)
			}
		}
		payload, adds := line.Payload(session.TypeEntry)
		if !adds || len(line.Text) > largestRecord {
			continue
		}
		s.read(payload)
		here := span{line.At, len(line.Text)}
		if bytes.Contains(payload, speaker(history.AI)) {
			reply, replyNames = here, s.names()
		}
		score := s.score()
		if score < 0 || !s.names() && !replyNames {
			continue
		}
		if r, err := line.Parse(); err == nil && q.in(r.Time) {
			found = append(found, candidate{in: in, span: here, reply: reply, seq: r.Seq, time: r.Time, score: score})
		}
	}
	return found, nil
}

// speaker returns the text that identifies the speaker in a payload. This text cannot occur within a JSON
// string.
func speaker(s history.Speaker) []byte { return []byte(`"speaker":"` + s + `"`) }

// document reads the document of a candidate from its log. For an answer, it also reads the calls.
func (x Sessions) document(c candidate) (d document, err error) {
	in := &reader{traits: x.Traits}
	if c.reply.length > 0 && c.reply != c.span {
		_, _ = c.in.read(c.reply, in) // without the call, the answer has no paths
	}
	return c.in.read(c.span, in)
}

// errNothing is returned for a record without a document.
var errNothing = errors.New("the session has no text to search")

func (l log) read(at span, in *reader) (d document, err error) {
	r, err := session.ReadAt(l.path, at.at, at.length)
	if err != nil {
		return d, err
	}
	if entry := r.Entry(); entry != nil {
		if d, ok := in.document(entry, r.Time); ok {
			return d, nil
		}
	}
	return d, errNothing
}
