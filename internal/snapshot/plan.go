package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/base/humanize"
)

// ErrNoChanges means that there is nothing to undo or to redo.
var ErrNoChanges = errors.New("no turn has changed files")

var errNoStore = errors.New("this session does not store file contents")

// Operation is the command to which a plan belongs.
type Operation string

// The operations.
const (
	Undo    Operation = "undo"
	Redo    Operation = "redo"
	Restore Operation = "restore"
)

// Plan describes how the files would be changed to reach another state. The creation of a plan
// changes nothing.
type Plan struct {
	Kind Operation
	// Title is the message whose changes are undone or redone. It is empty for PlanRestore.
	Title string
	// Since is the time of the earliest undone or redone change.
	Since time.Time
	// Steps lists the files that would change, by path.
	Steps []Step
	// Refused lists the files that make Apply refuse the whole plan.
	Refused []Problem
	// Left lists the files that would stay unchanged.
	Left []Problem

	store    *Store
	from, to int
	redo     []int
}

// Step is the planned change of one file.
type Step struct {
	// Path is relative to the workspace.
	Path string
	// Does is the kind of the change: create, change, delete, mode.
	Does string
	// Diff is the unified diff in git's format.
	Diff string

	now, then version
	folders   []string
}

// Problem names a file and the reason why its change cannot be undone.
type Problem struct{ Path, Why string }

func (p Problem) String() string { return p.Path + ": " + p.Why }

// PlanUndo plans to restore the files to their state before the latest turn that changed any. The
// error is ErrNoChanges if no turn has changed files.
func (s *Store) PlanUndo(ctx context.Context) (*Plan, error) {
	return s.planWith(ctx, func() (*Plan, error) {
		before, first := s.tree.latestTurn()
		switch {
		case s.tree.half.open():
			return s.planHalf(Undo), nil
		case first == nil:
			return nil, ErrNoChanges
		}
		return &Plan{Kind: Undo, Title: first.Title, Since: first.At, from: s.tree.head, to: before, redo: append(slices.Clone(s.tree.redo), s.tree.head)}, nil
	})
}

// PlanRedo plans to reverse the latest undo or restore that can still be reversed.
func (s *Store) PlanRedo(ctx context.Context) (*Plan, error) {
	return s.planWith(ctx, func() (*Plan, error) {
		last := len(s.tree.redo) - 1
		switch {
		case s.tree.half.open():
			return s.planHalf(Redo), nil
		case last < 0:
			return nil, ErrNoChanges
		}
		p := &Plan{Kind: Redo, from: s.tree.head, to: s.tree.redo[last], redo: slices.Clone(s.tree.redo[:last])}
		if n := s.tree.nodes[p.to]; n != nil {
			p.Title = n.Title
		}
		return p, nil
	})
}

// PlanRestore plans to restore the files to their state at a mark, earlier or later. A plan without
// steps means that the files already have that state.
func (s *Store) PlanRestore(ctx context.Context, m Mark) (*Plan, error) {
	return s.planWith(ctx, func() (*Plan, error) {
		to, err := s.node(m)
		p := &Plan{Kind: Restore, from: s.tree.head, to: to, redo: slices.Clone(s.tree.redo)}
		if to != s.tree.head {
			p.redo = append(p.redo, s.tree.head)
		}
		return p, err
	})
}

// planWith first records the changes of an interrupted command. Then it calls choose for a plan and
// computes its steps.
func (s *Store) planWith(ctx context.Context, choose func() (*Plan, error)) (*Plan, error) {
	if !s.use() {
		return nil, errNoStore
	}
	defer s.mu.Unlock()
	s.finishInterrupted(ctx)
	p, err := choose()
	if err != nil {
		return nil, err
	}
	p.store = s
	return p, s.plan(ctx, p)
}

// plan computes the steps of p. Problems with single files are part of the plan and not an error.
func (s *Store) plan(ctx context.Context, p *Plan) error {
	way, roots, unknown := s.tree.way(p.from, p.to)
	if s.tree.half.open() && p.from == s.tree.head {
		way = s.tree.halfway(way)
	}
	if err := s.files.sameWorkspace(roots); err != nil {
		return err
	}
	slices.SortFunc(way, func(a, b *passage) int { return strings.Compare(a.path, b.path) })
	if err := s.contents.fetch(ctx, targetsOf(way)); err != nil {
		s.warn("%v", err)
	}
	outcomes := make([]outcome, len(way))
	links := linksThatGo(way)
	_ = atOnce(len(way), func(i int) error { outcomes[i] = s.outcome(way[i], links); return nil })
	for i, o := range outcomes {
		if o.step != nil && !s.contents.joined(ctx, way[i]) {
			o = outcome{refused: errBetween}
		}
		switch {
		case o.refused != nil:
			p.Refused = append(p.Refused, Problem{way[i].path, o.refused.Error()})
		case o.left != nil:
			p.Left = append(p.Left, Problem{way[i].path, o.left.Error()})
		case o.step != nil:
			p.Steps = append(p.Steps, *o.step)
		}
	}
	for _, problem := range append(unknown, s.unseen(p)...) {
		if !slices.Contains(p.Left, problem) {
			p.Left = append(p.Left, problem)
		}
	}
	s.keepAll(p.Steps)
	return nil
}

// keepAll stores the present contents of the files of steps, so that the plan can be undone.
func (s *Store) keepAll(steps []Step) {
	contents := map[string][]byte{}
	for _, step := range steps {
		if step.now.Kind == KindFile && step.now.content != nil && !s.Secret(step.now.abs, step.Path) {
			contents[sumOf(step.now.content)] = step.now.content
		}
	}
	sums := slices.Collect(maps.Keys(contents))
	if err := allAtOnce(len(sums), func(i int) error { return s.contents.put(sums[i], contents[sums[i]]) }); err != nil {
		s.fail(err)
	}
}

// outcome is the part of a plan for one file. All fields are nil if the file already has its target
// state.
type outcome struct {
	step *Step
	// left is the reason why the file stays unchanged.
	left error
	// refused is the reason why the whole plan must not be applied.
	refused error
}

// sameWorkspace returns an error for changes that were made in another folder. It accepts them if
// that folder no longer exists, because the folder may have been moved here.
func (w *files) sameWorkspace(roots map[string]bool) error {
	for root := range roots {
		if root == w.workspace.Root() {
			continue
		}
		if _, err := os.Lstat(root); err == nil {
			return fmt.Errorf("these changes were made in %s, not in %s. To undo them, resume the session in that folder (-C)", root, w.workspace.Root())
		}
	}
	return nil
}

// linksThatGo returns the paths of the links that the passages replace or remove.
func linksThatGo(way []*passage) map[string]bool {
	links := map[string]bool{}
	for _, p := range way {
		if p.expected.Kind == KindLink && p.target.Kind != KindLink {
			links[p.path] = true
		}
	}
	return links
}

// outcome computes the change of one file. links holds the paths of links that the same plan
// removes.
func (s *Store) outcome(p *passage, links map[string]bool) outcome {
	if p.target.NotKept != "" {
		return outcome{left: errors.New(p.target.NotKept)}
	}
	now, err := s.files.look(p.path)
	if behind := (*behindError)(nil); errors.As(err, &behind) && links[behind.link] {
		err = nil // the path does not exist until the link is removed
	}
	if err != nil {
		return outcome{refused: err}
	}
	if now.is(p.target) {
		return outcome{}
	}
	if !now.is(p.expected) && (p.halfway == nil || !now.is(*p.halfway)) && !(s.tree.half.open() && now.isBetween(p)) {
		return outcome{refused: changedSince(now.FileState, p.expected)}
	}
	then := version{FileState: p.target, abs: now.abs}
	if p.target.Kind == KindFile {
		if then.content, err = s.contents.content(p.target, now); err != nil {
			return outcome{left: err}
		}
	}
	return outcome{step: &Step{Path: p.path, Does: changeWord(now, then), Diff: diff(p.path, now, then), now: now, then: then, folders: p.folders}}
}

// isBetween reports whether a file can be the result of an interrupted change. It is then missing,
// has the content of one state and the mode of the other, or was made writable for its owner.
func (f version) isBetween(p *passage) bool {
	if f.Kind == KindMissing {
		return true
	}
	ends := []FileState{p.expected, p.target}
	if p.halfway != nil {
		ends = append(ends, *p.halfway)
	}
	held := slices.ContainsFunc(ends, func(end FileState) bool { return end.is(f.FileState, f.hasSum) })
	return held && slices.ContainsFunc(ends, func(end FileState) bool {
		return end.sameMode(f.FileState) || end.Mode|ownerWrites == f.Mode
	})
}

// errBetween is returned for a plan that would also undo changes by other programs, made between
// the recorded changes.
var errBetween = errors.New("another program changed it between the recorded changes")

// changedSince describes how a file differs from its expected state.
func changedSince(now, expected FileState) error {
	switch {
	case now.Kind == KindMissing:
		return errors.New("deleted since by another program")
	case expected.Kind == KindMissing:
		return errors.New("created since by another program")
	case now.Kind == KindOther:
		return errors.New("it is no longer a file")
	}
	return errors.New("changed since by another program")
}

// changeWord returns the kind of the change from one version to another.
func changeWord(now, then version) string {
	switch {
	case then.Kind == KindMissing:
		return "delete"
	case now.Kind == KindMissing:
		return "create"
	case now.Kind == KindFile && then.Kind == KindFile && bytes.Equal(now.content, then.content) && now.content != nil:
		return "mode"
	}
	return "change"
}

// Diff returns the unified diff of all steps.
func (p *Plan) Diff() string {
	var all strings.Builder
	for _, step := range p.Steps {
		all.WriteString(step.Diff)
	}
	return all.String()
}

// Line describes the step in one line.
func (s Step) Line() string {
	detail := ""
	switch {
	case s.Does == "mode":
		detail = fmt.Sprintf(" (%v instead of %v)", s.then.Mode, s.now.Mode)
	case s.then.Kind == KindLink:
		detail = " (a link to " + s.then.LinkTarget + ")"
	case s.then.Kind == KindFile && s.now.Kind == KindFile && s.then.Mode != 0 && s.then.Mode != s.now.Mode:
		detail = fmt.Sprintf(" (also sets its mode to %v)", s.then.Mode)
	case !isText(s.then):
		detail = " (" + humanize.Bytes(int64(len(s.then.content))) + ")"
	}
	return fmt.Sprintf("%-7s %s%s", s.Does, s.Path, detail)
}

// RefusedError means that another program has changed files, so that the plan was not executed.
type RefusedError struct{ Problems []Problem }

func (e *RefusedError) Error() string {
	return "nothing changed: later changes by other programs would be lost: " + e.Files()
}

// Files returns a text with the first of the files, each with its problem.
func (e *RefusedError) Files() string {
	const most = 5
	var which []string
	for i, p := range e.Problems {
		if i == most {
			which = append(which, fmt.Sprintf("and %d more", len(e.Problems)-most))
			break
		}
		which = append(which, p.String())
	}
	return strings.Join(which, "; ")
}

// outermostLast sorts folders so that each is before its parents.
func outermostLast(folders []string) []string {
	sorted := slices.Clone(folders)
	slices.SortFunc(sorted, func(a, b string) int {
		return cmp.Or(strings.Count(b, "/")-strings.Count(a, "/"), strings.Compare(a, b))
	})
	return slices.Compact(sorted)
}

func absolute(root, rel string) string { return filepath.Join(root, filepath.FromSlash(rel)) }
