package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"agent/internal/cmdline"
	"agent/internal/frontend/script"
	"agent/internal/gate"
	"agent/internal/git/diff"
	"agent/internal/sandbox"

	"github.com/spf13/cobra"
)

func newReview(w world, run func(context.Context, world, sessionOptions) error) *cobra.Command {
	var o sessionOptions
	var asJSON, asSARIF, fetch bool
	cmd := &cobra.Command{
		Use:   "review [BASE|BASE...COMMIT|NUMBER] [#PATH…] [WORDS…]",
		Short: "Review a change, and print the findings",
		Long: `The model reviews the changes since the main branch or BASE, or the changes of the pull request
NUMBER, in a separate read-only conversation. agent fetches a pull request from the remote
origin, without creating a branch, after you confirm or with --fetch.

	agent review --json
	agent review v1.2 '#internal/db' mind the locks
	agent review 12 --fetch --sarif > review.sarif

With --json and --sarif each finding quotes lines of the change. agent drops findings with a
wrong quote and names them on standard error.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case asJSON && asSARIF:
				return usage(errors.New("can't combine --json and --sarif: choose one"))
			case asJSON:
				o.answer.schema = script.Findings
			case asSARIF:
				o.answer.schema = script.SARIF
			}
			if len(args) > 0 && diff.IsPullRequest(args[0]) && !diff.IsCommit(cmd.Context(), w.process.Path(o.Workspace), args[0]) {
				commit, err := fetchPull(cmd.Context(), w, w.process.Path(o.Workspace), args[0], fetch)
				if err != nil {
					return err
				}
				args[0] = "..." + commit
			}
			o.headless, o.prompt = true, strings.Join(append([]string{"/review"}, args...), " ")
			o.approvalMode = cmp.Or(o.approvalMode, string(gate.ModeReadOnly))
			return run(cmd.Context(), w, o)
		},
	}
	o.registerLimits(cmd, w)
	f := cmd.Flags()
	f.StringVarP(&o.Workspace, "workspace", "C", "", "the `DIR` to work in instead of the current folder")
	f.StringVarP(&o.answer.file, "output-file", "o", "", "also write the answer to `FILE`")
	f.DurationVar(&o.timeout, "timeout", 0, "end after `DURATION`, such as 90s or 10m")
	f.BoolVar(&asJSON, "json", false, "print the findings as JSON")
	f.BoolVar(&asSARIF, "sarif", false, "print the findings as SARIF, for code scanners")
	f.BoolVar(&fetch, "fetch", false, "fetch the pull request without asking")
	o.output, o.input = "text", "text"
	return cmd
}

// fetchPull fetches a pull request without creating a branch, after the user has agreed, and returns its
// commit.
func fetchPull(ctx context.Context, w world, dir, number string, agreed bool) (string, error) {
	args, err := diff.FetchArgs(ctx, dir, number, w.process.Environ)
	if err != nil {
		return "", usage(err)
	}
	line := "git " + cmdline.Join(args)
	if !agreed {
		ask := askOnTerminal(w)
		if ask == nil {
			return "", usage(fmt.Errorf("can't fetch pull request %s (%s): there is no user to ask. Add --fetch", number, line))
		}
		if yes, err := ask(ctx, "Run "+line+"? It creates no branch."); err != nil || !yes {
			return "", errors.Join(err, usage(errors.New("pull request "+number+" was not fetched")))
		}
	}
	program, err := sandbox.LookPath("git", sandbox.Variable(w.process.Environ, "PATH"), dir)
	if err != nil {
		return "", err
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.Stdin = dir, w.process.Environ, &said, w.stdin
	if err := cmd.Run(); err != nil {
		return "", diff.FetchError(number, cmp.Or(said.String(), err.Error()))
	}
	return diff.FetchedCommit(ctx, dir)
}
