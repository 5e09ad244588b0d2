package main

import (
	"context"
	"errors"
	"fmt"

	"agent/internal/frontend/cli"
	"agent/internal/git/worktree"

	"github.com/spf13/cobra"
)

// worktrees returns the folder that contains the worktrees of this program.
func (w world) worktrees() (string, error) {
	caches := w.process.Caches()
	if caches == "" {
		return "", errors.New("can't create a worktree: no cache folder. Set HOME or XDG_CACHE_HOME")
	}
	return caches, nil
}

// inWorktree makes the session work in the worktree that --worktree names. say prints the path of the
// worktree, for the end of the session.
func (o *sessionOptions) inWorktree(ctx context.Context, w world) (say func(), err error) {
	if o.worktree == "" {
		return func() {}, nil
	}
	cache, err := w.worktrees()
	if err != nil {
		return nil, usage(err)
	}
	made, err := worktree.Open(ctx, w.process.Path(o.Workspace), cache, o.worktree)
	if err != nil {
		return nil, usage(err)
	}
	o.Workspace = made.Inside
	for _, note := range made.Notes {
		fmt.Fprintln(w.people, "worktree "+o.worktree+": "+note)
	}
	return func() { fmt.Fprintf(w.people, "worktree %s, branch %s\n", made.Path, made.Branch) }, nil
}

func newWorktree(w world) *cobra.Command {
	group := &cobra.Command{Use: "worktree", Short: "List and remove worktrees created with --worktree", Args: cli.NoSubcommand, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	group.AddCommand(&cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a worktree and its branch, unless changes would be lost",
		Args:  cli.ExactArgs(1, "the name of a worktree"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cache, err := w.worktrees()
			if err == nil {
				err = worktree.Remove(cmd.Context(), w.process.Dir, cache, args[0])
			}
			if err != nil {
				return usage(err)
			}
			return nil
		},
	})
	return group
}
