package sessionsearch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/history"
	"agent/internal/offline/logs"
)

// SearchOther returns the entries of other programs' sessions that match a query, in the order of Search.
// It reads all files, and calls skip for each file that it cannot read. The number of an entry is its
// position in the file.
func (x Sessions) SearchOther(ctx context.Context, files []logs.File, q Query, o Options, skip func(path string, err error)) (found Results, err error) {
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		hits, err := x.other(f.Path, &q, o)
		if err != nil && !errors.Is(err, logs.ErrUnknown) {
			skip(f.Path, err)
		}
		found.Hits = append(found.Hits, hits...)
	}
	slices.SortStableFunc(found.Hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time)) })
	found.Hits = slices.CompactFunc(found.Hits, func(a, b Hit) bool { return a.Time.Equal(b.Time) && a.Text == b.Text })
	found.More = len(found.Hits) > o.Most
	found.Hits = found.Hits[:min(len(found.Hits), o.Most)]
	return found, nil
}

func (x Sessions) other(path string, q *Query, o Options) (hits []Hit, err error) {
	file, err := fsutil.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	number := uint64(0)
	_, err = logs.ReadFile(file, func(s logs.Span) error {
		in := &reader{traits: x.Traits}
		for _, entry := range s.Entries {
			number++
			d, ok := in.document(entry, timeOf(entry))
			if !ok || o.In != nil && !o.In(s.Project) {
				continue
			}
			if score := q.score(d); score >= 0 {
				id := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
				hits = append(hits, Hit{
					Session: id, Log: path, Workspace: s.Project, Agent: s.Agent, Entry: number, Time: d.at, Kind: d.kind,
					Tools: compact(d.tools), Paths: compact(d.paths), Score: score, Passage: q.passage(d.text),
				})
			}
		}
		return nil
	})
	return hits, err
}

// timeOf returns the time of an entry of another program, or the zero time if it has none.
func timeOf(entry *history.Content) time.Time {
	if ms, ok := history.MetaOf[json.Number](entry, logs.MetaTime); ok {
		if n, err := ms.Int64(); err == nil {
			return time.UnixMilli(n)
		}
	}
	return time.Time{}
}

// score returns the number of words of the query that match in a document, or -1 if the document does not
// match the query.
func (q *Query) score(d document) int {
	has := make([]bool, len(q.words))
	without := false
	eachWord(d.text, func(word []byte, _, _ int) {
		for i, w := range q.words {
			has[i] = has[i] || matches(word, w)
		}
		without = without || slices.ContainsFunc(q.without, func(w string) bool { return matches(word, w) })
	})
	score := 0
	for _, found := range has {
		if found {
			score++
		}
	}
	missing := func(path string) bool {
		return !slices.ContainsFunc(d.paths, func(p string) bool { return p == path || strings.HasSuffix(p, "/"+path) })
	}
	unused := func(tool string) bool { return !slices.Contains(d.tools, tool) }
	if without || score == 0 && len(q.words) > 0 || slices.ContainsFunc(q.paths, missing) || slices.ContainsFunc(q.tools, unused) || !q.in(d.at) || !q.phrasesFit(d.text) {
		return -1
	}
	return score
}
