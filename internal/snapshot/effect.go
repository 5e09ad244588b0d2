package snapshot

import (
	"context"
	"slices"
)

// Effect describes the effect of a change on one file.
type Effect struct {
	ChangedFile
	// Diff is the difference between the file before the change and the present file.
	Diff string
}

// Effects returns the effects of the change with a mark, compared with the present files. It
// contains no diff of a secret file.
func (s *Store) Effects(ctx context.Context, m Mark) []Effect {
	if s == nil || m == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id, err := s.node(m)
	if err != nil || id == 0 {
		return nil
	}
	var way []*passage
	for _, c := range s.tree.nodes[id].Changes {
		way = append(way, &passage{path: c.Path, target: c.Before})
	}
	if err := s.contents.fetch(ctx, targetsOf(way)); err != nil {
		s.warn("%v", err)
	}
	var all []Effect
	for _, p := range way {
		now, err := s.files.look(p.path)
		if err != nil {
			continue
		}
		was := version{FileState: p.target, abs: now.abs}
		if was.Kind == KindFile && was.NotKept == "" {
			was.content, _ = s.contents.content(was.FileState, now)
		}
		e := Effect{ChangedFile: ChangedFile{Path: p.path, Abs: now.abs, Does: changeWord(was, now), Content: now.content}}
		if !s.Secret(now.abs, p.path) {
			e.Diff = diff(p.path, was, now)
		}
		all = append(all, e)
	}
	return all
}

// RecordProgram records that a program runs in the background of the turn. Its changes cannot be
// distinguished from other changes, so a plan that undoes the turn names the program.
func (s *Store) RecordProgram(name string) {
	if !s.use() {
		return
	}
	defer s.mu.Unlock()
	b := beside{s.turn, name}
	if !slices.Contains(s.besides, b) && s.ready() == nil {
		s.besides = append(s.besides, b)
		s.write(record{Beside: &b})
	}
}

// unseen returns a problem for each background program whose changes a plan cannot undo.
func (s *Store) unseen(p *Plan) (problems []Problem) {
	turns := map[int]bool{}
	for _, n := range s.tree.undoneNodes(p.from, p.to) {
		if turns[n.Turn] {
			continue
		}
		turns[n.Turn] = true
		for _, b := range s.besides {
			if b.Turn == n.Turn {
				problems = append(problems, Problem{"changes by " + b.Name, "it ran in parallel with the turn"})
			}
		}
	}
	return problems
}
