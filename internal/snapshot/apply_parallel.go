package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// goAll executes all steps or none: after an error it undoes the earlier steps. It removes files
// first, so that a folder can replace a file.
func (w *files) goAll(steps []Step) error {
	removals, others := split(steps, "delete")
	take := func(steps []Step) error {
		return atOnce(len(steps), func(i int) error { return w.turnInto(steps[i].now, steps[i].then) })
	}
	if err := take(removals); err != nil {
		return errors.Join(err, w.goBack(removals))
	}
	w.removeFolders(removals)
	if err := take(others); err != nil {
		return errors.Join(err, w.goBack(others), w.goBack(removals))
	}
	return nil
}

// goBack undoes steps. Some of them may not have been executed, or only in part.
func (w *files) goBack(steps []Step) error {
	created, others := split(steps, "create")
	takeBack := func(steps []Step) error {
		return allAtOnce(len(steps), func(i int) error { return w.takeBack(steps[i]) })
	}
	return errors.Join(takeBack(created), takeBack(others))
}

// takeBack undoes a step. It returns an error for a file that another program has changed since,
// and does not change that file.
func (w *files) takeBack(step Step) error {
	is, err := w.look(step.Path)
	if err == nil && is.sameFile(step.now) {
		return nil
	}
	if err == nil && !step.leaves(is) {
		err = errors.New("another program changed it in the meantime")
	}
	if err == nil {
		err = w.turnInto(is, step.now)
	}
	if err != nil {
		return fmt.Errorf("can't restore %s: %w", step.Path, err)
	}
	return nil
}

// leaves reports whether a file can be the result of an interrupted step: the new version, the old
// version with other permissions, or no file.
func (step Step) leaves(is version) bool {
	same := func(f version) bool {
		return is.Kind == f.Kind && is.LinkTarget == f.LinkTarget && bytes.Equal(is.content, f.content)
	}
	return is.Kind == KindMissing || same(step.then) || same(step.now)
}

// removeFolders removes folders that were created for files and are empty now.
func (w *files) removeFolders(steps []Step) {
	var folders []string
	for _, step := range steps {
		folders = append(folders, step.folders...)
	}
	for _, folder := range outermostLast(folders) {
		w.workspace.RemoveFolder(absolute(w.workspace.Root(), folder))
	}
}

func split(steps []Step, does string) (those, others []Step) {
	for _, step := range steps {
		if step.Does == does {
			those = append(those, step)
		} else {
			others = append(others, step)
		}
	}
	return those, others
}

// maxParallelFiles is the number of files that are changed at once. Most of the time passes while a
// file is flushed to disk, and several files can be flushed in parallel.
const maxParallelFiles = 32

// allAtOnce is like atOnce, but continues after an error and returns all errors.
func allAtOnce(count int, do func(i int) error) error {
	failed := make([]error, count)
	_ = atOnce(count, func(i int) error { failed[i] = do(i); return nil })
	return errors.Join(failed...)
}

// atOnce calls do count times, in parallel. After the first error, which it returns, it starts no
// further call.
func atOnce(count int, do func(i int) error) error {
	group, ctx := errgroup.WithContext(context.Background())
	group.SetLimit(maxParallelFiles)
	for i := range count {
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			return do(i)
		})
	}
	return group.Wait()
}
