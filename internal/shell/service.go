package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"agent/internal/sandbox"
)

// A service is ended in steps. First its input is closed. After closeGrace it gets SIGTERM. After
// termGrace it is killed, with every process that it started.
const (
	closeGrace = 200 * time.Millisecond
	termGrace  = 300 * time.Millisecond
)

// ServiceEnds is the longest total time of the steps that end a service.
const ServiceEnds = closeGrace + termGrace

var services Groups

// ServiceCommand describes a program to start as a Service.
type ServiceCommand struct {
	// Path is the path of the program. Args lists its arguments.
	Path string
	Args []string
	// Dir is the folder in which it starts. Env is its environment; nil means an empty environment.
	Dir string
	Env []string
	// Confined is the sandbox of the program. Profile is the set of its rights there.
	Confined sandbox.Confinement
	Profile  sandbox.Profile
}

// A Service is a long-running program, such as an MCP server, that exchanges messages with this
// one.
type Service struct {
	// In is connected to the standard input of the program, and Out to its standard output.
	In, Out *os.File

	cmd     *exec.Cmd
	running *sandbox.Command
	// ended is closed when the program and every process that it started have ended.
	ended chan struct{}
	// how describes the end of the program, such as "exit status 1".
	how string
	// drained is closed when its standard error has been read completely.
	drained chan struct{}
	stop    sync.Once
}

// StartService starts a service. Its standard error is written to log.
func StartService(ctx context.Context, c ServiceCommand, log io.Writer) (*Service, error) {
	if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("can't enter the folder %s", c.Dir)
	}
	s := &Service{cmd: exec.Command(c.Path, c.Args...), ended: make(chan struct{}), drained: make(chan struct{})}
	s.cmd.Dir, s.cmd.Env = c.Dir, c.Env
	if s.cmd.Env == nil {
		s.cmd.Env = []string{} // nil would mean the environment of this program
	}
	sandbox.SetNewGroup(s.cmd)
	stderr, err := s.pipes()
	if err != nil {
		return nil, err
	}
	services.Watch()
	confined := c.Confined
	confined.Policy.Grace, confined.Policy.LongRunning = termGrace, true
	s.running, err = confined.Start(context.WithoutCancel(ctx), s.cmd, c.Profile)
	for _, theirs := range []any{s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr} {
		_ = theirs.(*os.File).Close()
	}
	if err != nil {
		_, _, _ = s.In.Close(), s.Out.Close(), stderr.Close()
		return nil, err
	}
	go s.listen(log, stderr)
	go s.endReads(s.Out, stderr)
	go s.wait(services.Add(s.cmd.Process.Pid))
	return s, nil
}

// pipes opens the standard files of the program. They must be files. With readers, the wait for the
// program would last until all processes that it left behind have ended.
func (s *Service) pipes() (stderr *os.File, err error) {
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
	s.cmd.Stdin, s.In = files[0], files[1]
	s.Out, s.cmd.Stdout = files[2], files[3]
	stderr, s.cmd.Stderr = files[4], files[5]
	return stderr, nil
}

// listen copies the standard error of the program to log until its end, or until shortly after the
// program has ended.
func (s *Service) listen(log io.Writer, stderr *os.File) {
	defer close(s.drained)
	defer stderr.Close()
	_, _ = io.Copy(log, stderr)
}

// endReads makes reads of pipes fail shortly after the program has ended, because processes that it
// started may keep the other end open.
func (s *Service) endReads(pipes ...*os.File) {
	<-s.ended
	for _, pipe := range pipes {
		_ = pipe.SetReadDeadline(time.Now().Add(closeGrace))
	}
}

func (s *Service) wait(gone func()) {
	err := s.running.Wait()
	gone()
	services.Close()
	var exit *exec.ExitError
	if s.how = s.cmd.ProcessState.String(); err != nil && !errors.As(err, &exit) {
		s.how = err.Error()
	}
	close(s.ended)
}

// Close ends the program and waits for its end.
func (s *Service) Close() {
	s.stop.Do(func() {
		_ = s.In.Close()
		if !s.WaitEnd(closeGrace) {
			_ = sandbox.AskGroup(s.cmd.Process.Pid)
			if !s.WaitEnd(termGrace) {
				sandbox.KillGroup(s.cmd.Process.Pid)
			}
		}
	})
	<-s.ended
	<-s.drained
	_ = s.Out.Close()
}

// PID returns the process ID of the program.
func (s *Service) PID() int { return s.cmd.Process.Pid }

// Done returns a channel that is closed when the program and every process that it started have
// ended.
func (s *Service) Done() <-chan struct{} { return s.ended }

// LogDone returns a channel that is closed when its standard error has been written to the log
// completely.
func (s *Service) LogDone() <-chan struct{} { return s.drained }

// EndText describes how the program ended, such as "exit status 1".
func (s *Service) EndText() string { return s.how }

// WaitEnd reports whether the program ends within the time bound.
func (s *Service) WaitEnd(bound time.Duration) bool {
	select {
	case <-s.ended:
		return true
	case <-time.After(bound):
		return false
	}
}
