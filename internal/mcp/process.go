package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"agent/internal/disk"
	"agent/internal/sandbox"
	"agent/internal/shell"
)

// A program is ended in steps. Its input is closed; after closeGrace it gets SIGTERM; after
// termGrace it is killed, with every process that it started.
const (
	closeGrace = 200 * time.Millisecond
	termGrace  = 300 * time.Millisecond
)

// programs holds the running programs of servers.
var programs shell.Groups

// process is the program of a stdio server.
type process struct {
	cmd     *exec.Cmd
	in, out *os.File
	running *sandbox.Command
	// ended is closed once the program and every process that it started have ended.
	ended chan struct{}
	// how describes the end of the program, such as "exit status 1".
	how string
	// drained is closed once all of its standard error was read.
	drained chan struct{}
	stop    sync.Once
}

// startProcess starts the program of a server. Its standard error is written to log.
func startProcess(ctx context.Context, s Server, log io.Writer) (*process, error) {
	path, err := findProgram(s)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("its folder %s cannot be entered", s.Dir)
	}
	p := &process{cmd: exec.Command(path, s.Args...), ended: make(chan struct{}), drained: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = s.Dir, s.Env
	if p.cmd.Env == nil {
		p.cmd.Env = []string{} // nil would mean the environment of this program
	}
	sandbox.Apart(p.cmd)
	stderr, err := p.pipes()
	if err != nil {
		return nil, err
	}
	programs.Watch()
	confined := s.Confined
	confined.Policy.Grace, confined.Policy.Stays = termGrace, true
	p.running, err = confined.Start(context.WithoutCancel(ctx), p.cmd, s.Profile)
	for _, theirs := range []any{p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr} {
		_ = theirs.(*os.File).Close()
	}
	if err != nil {
		_, _, _ = p.in.Close(), p.out.Close(), stderr.Close()
		return nil, err
	}
	go p.listen(log, stderr)
	go p.hurry(p.out, stderr)
	go p.wait(programs.Add(p.cmd.Process.Pid))
	return p, nil
}

// pipes opens the standard files of the program. They are files and not readers, because a reader
// would make the wait for the program last until processes that it leaves behind have ended.
func (p *process) pipes() (stderr *os.File, err error) {
	var files [6]*os.File
	for i := 0; i < len(files) && err == nil; i += 2 {
		files[i], files[i+1], err = os.Pipe()
	}
	if err != nil {
		for _, f := range files {
			_ = f.Close() // a nil file returns an error
		}
		return nil, err
	}
	p.cmd.Stdin, p.in = files[0], files[1]
	p.out, p.cmd.Stdout = files[2], files[3]
	stderr, p.cmd.Stderr = files[4], files[5]
	return stderr, nil
}

// listen copies the standard error of the program to log until its end, or until shortly after the
// program has ended.
func (p *process) listen(log io.Writer, stderr *os.File) {
	defer close(p.drained)
	defer stderr.Close()
	_, _ = io.Copy(log, stderr)
}

// hurry makes reads of pipes fail a moment after the program has ended, because processes that it
// started may keep the other end open.
func (p *process) hurry(pipes ...*os.File) {
	<-p.ended
	for _, pipe := range pipes {
		_ = pipe.SetReadDeadline(time.Now().Add(closeGrace))
	}
}

func (p *process) wait(gone func()) {
	err := p.running.Wait()
	gone()
	programs.Close()
	var exit *exec.ExitError
	if p.how = p.cmd.ProcessState.String(); err != nil && !errors.As(err, &exit) {
		p.how = err.Error()
	}
	close(p.ended)
}

// close ends the program and waits for its end.
func (p *process) close() {
	p.stop.Do(func() {
		_ = p.in.Close()
		if !p.endsIn(closeGrace) {
			_ = sandbox.AskGroup(p.cmd.Process.Pid)
			if !p.endsIn(termGrace) {
				sandbox.KillGroup(p.cmd.Process.Pid)
			}
		}
	})
	<-p.ended
	<-p.drained
	_ = p.out.Close()
}

func (p *process) endsIn(bound time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(bound):
		return false
	}
}

// findProgram returns the path of the program. It looks a bare name up in the PATH that the program
// gets.
func findProgram(s Server) (string, error) {
	if strings.ContainsRune(s.Command, filepath.Separator) {
		return disk.At(s.Dir, s.Command), nil
	}
	program, err := sandbox.LookPath(s.Command, sandbox.Variable(s.Env, "PATH"))
	if err != nil {
		return "", fmt.Errorf("the program %s is not installed, or not in PATH", s.Command)
	}
	return program, nil
}
