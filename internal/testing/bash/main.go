// Command bash replaces the bash of Git for Windows when tests run under Wine, whose only shell is
// cmd. It runs a command with mvdan.cc/sh and implements the few programs that the tests call. It
// is not part of the program.
//
//	bash -c -- LINE [NAME ARGUMENT...]
//
// A copy of the binary with the name of one of these programs runs that program.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

func main() {
	args := os.Args[1:]
	if name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); tools[name] != nil { // a copy
		args = append([]string{"-c", name + ` "$@"`, name}, args...)
	}
	err := run(args)
	var exit interp.ExitStatus
	switch {
	case errors.As(err, &exit):
		os.Exit(int(exit))
	case err != nil:
		fmt.Fprintln(os.Stderr, "bash:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	line, name := "", "bash"
	given := false // the flag -c was given
	var flags, params []string
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if flag := strings.ReplaceAll(args[0], "c", ""); strings.Trim(flag, "-") != "" {
			flags = append(flags, flag)
		}
		given, args = given || strings.Contains(args[0], "c"), args[1:]
	}
	switch {
	case given && len(args) > 0:
		line = args[0]
		if args = args[1:]; len(args) > 0 {
			name, params = args[0], args[1:]
		}
	case len(args) > 0:
		text, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		line, name, params = string(text), args[0], args[1:]
	}
	program, err := syntax.NewParser().Parse(strings.NewReader(line), name)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return interp.ExitStatus(2)
	}
	runner, err := interp.New(interp.StdIO(os.Stdin, os.Stdout, os.Stderr), interp.ExecHandlers(withTools),
		interp.Params(append(append(flags, "--"), params...)...))
	if err != nil {
		return err
	}
	return runner.Run(context.Background(), program)
}

// withTools returns a handler that runs the tools and passes other programs to next.
func withTools(next interp.ExecHandlerFunc) interp.ExecHandlerFunc {
	return func(ctx context.Context, args []string) error {
		t, ok := tools[args[0]]
		if !ok {
			return next(ctx, args)
		}
		err := t(call{interp.HandlerCtx(ctx), ctx, args[1:]})
		var exit interp.ExitStatus
		if err != nil && !errors.As(err, &exit) {
			fmt.Fprintf(interp.HandlerCtx(ctx).Stderr, "%s: %v\n", args[0], err)
			return interp.ExitStatus(1)
		}
		return err
	}
}
