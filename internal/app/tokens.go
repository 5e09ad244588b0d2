package app

import (
	"context"
	"fmt"

	"agent/internal/login"
	"agent/internal/provider"
	"agent/internal/shell"
)

// printedKeys returns the sources of API keys that the user's commands print, which all conversations share.
func (p *Process) printedKeys() *login.CommandSources {
	p.printing.Do(func() { p.printed.Run, p.printed.Now = p.runForToken, p.Now })
	return &p.printed
}

// AccountLogins returns the user's logins to accounts, which all conversations share.
func (p *Process) AccountLogins() *login.Sources {
	p.logged.Do(func() {
		f, _ := p.Folders() // without folders no login is stored
		p.logins.Store = login.Store{Folder: f.State, Keyring: provider.HasKeyring(p.Env)}
		p.logins.Now, p.logins.Say = p.Now, func(line string) { p.say(line) }
		p.logins.Reached = func(host string) {
			p.followers.each(func(a *acts) { a.reach("login", host) })
		}
	})
	return &p.logins
}

// runForToken runs a command line that prints an API key. It runs as a program of the user, with the user's
// environment, without a terminal and outside of the sandbox.
func (p *Process) runForToken(ctx context.Context, line string, most int) (printed []byte, complaint string, err error) {
	jobs := shell.NewJobs(p.Environ, nil)
	defer jobs.Close()
	out, says := &shell.HeadWriter{Most: most}, &shell.HeadWriter{Most: mostPrinted}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	end, _ := jobs.RunWithInput(ctx, shell.Command{Line: line, Dir: p.Home}, endless{out, cancel}, says) // the jobs are open
	p.followers.each(func(a *acts) { a.noteProgram("auth-command", line, end) })
	switch {
	case end.NotStarted != nil:
		err = end.NotStarted
	case end.Exit == shell.ExitNotFound:
		err = fmt.Errorf("the program is not installed (%s)", end.ExitText())
	case end.Exit != 0:
		err = fmt.Errorf("%s", end.ExitText())
	}
	return out.Kept, string(says.Kept), err
}

// endless stops a program that prints more than the limit.
type endless struct {
	*shell.HeadWriter
	stop func()
}

// Write implements io.Writer.
func (e endless) Write(data []byte) (int, error) {
	n, err := e.HeadWriter.Write(data)
	if len(e.Kept) == e.Most {
		e.stop()
	}
	return n, err
}
