package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// A call is a call of a tool, with its arguments.
type call struct {
	interp.HandlerContext
	ctx  context.Context
	args []string
}

// tools maps names to the programs that the tests call. They support only the flags that the tests
// use.
var tools map[string]func(call) error

func init() {
	tools = map[string]func(call) error{
		"cat": cat, "chmod": chmod, "cp": cp, "dirname": dirname, "env": env, "grep": grep, "head": head, "ls": ls,
		"mkdir": mkdir, "mv": mv, "printf": printf, "rm": rm, "seq": seq, "sleep": sleep, "tail": tail, "touch": touch, "tr": tr, "truncate": truncate, "wc": wc, "yes": yes,
	}
}

// flags removes and returns the leading arguments that begin with a hyphen.
func (c *call) flags() (all string) {
	for len(c.args) > 0 && len(c.args[0]) > 1 && c.args[0][0] == '-' {
		all, c.args = all+c.args[0][1:], c.args[1:]
	}
	return all
}

func (c call) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.Dir, name)
}

// input joins the files that the arguments name. Without arguments it returns the standard input.
func (c call) input() (io.Reader, error) {
	if len(c.args) == 0 {
		return c.Stdin, nil
	}
	var all bytes.Buffer
	for _, name := range c.args {
		text, err := os.ReadFile(c.at(name))
		if err != nil {
			return nil, err
		}
		all.Write(text)
	}
	return &all, nil
}

func cat(c call) error {
	in, err := c.input()
	if err != nil || in == nil {
		return err
	}
	_, err = io.Copy(c.Stdout, in)
	return err
}

func chmod(c call) error {
	mode := os.FileMode(0o666)
	if strings.HasPrefix(c.args[0], "4") || strings.HasPrefix(c.args[0], "5") || strings.Contains(c.args[0], "-w") {
		mode = 0o444
	}
	return c.each(c.args[1:], func(path string) error { return os.Chmod(path, mode) })
}

func (c call) each(names []string, act func(path string) error) (err error) {
	for _, name := range names {
		err = errors.Join(err, act(c.at(name)))
	}
	return err
}

func cp(c call) error {
	c.flags()
	text, err := os.ReadFile(c.at(c.args[0]))
	if err != nil {
		return err
	}
	return os.WriteFile(c.into(c.args[1], c.args[0]), text, 0o666)
}

// into returns the target path of a file: the path to, or the file's own name in it if to is a
// folder.
func (c call) into(to, name string) string {
	if info, err := os.Stat(c.at(to)); err == nil && info.IsDir() {
		return filepath.Join(c.at(to), filepath.Base(name))
	}
	return c.at(to)
}

func env(c call) error {
	for name, value := range c.Env.Each {
		if value.Exported && value.Kind == expand.String {
			fmt.Fprintf(c.Stdout, "%s=%s\n", name, value.Str)
		}
	}
	return nil
}

func dirname(c call) error {
	_, err := fmt.Fprintln(c.Stdout, path.Dir(filepath.ToSlash(c.args[0])))
	return err
}

func grep(c call) error { // grep TEXT [FILE...]
	text := c.args[0]
	c.args = c.args[1:]
	in, err := c.input()
	if err != nil {
		return err
	}
	found := false
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if strings.Contains(lines.Text(), text) {
			found = true
			fmt.Fprintln(c.Stdout, lines.Text())
		}
	}
	if !found {
		return interp.ExitStatus(1)
	}
	return lines.Err()
}

// count removes and returns the number of lines of head and tail.
func (c *call) count() int {
	if len(c.args) > 1 && c.args[0] == "-c" {
		return -1 // -c counts bytes
	}

	n, err := strconv.Atoi(strings.TrimLeft(c.flags(), "n"))
	if err != nil && len(c.args) > 0 {
		if n, err = strconv.Atoi(c.args[0]); err == nil {
			c.args = c.args[1:]
		}
	}
	if err != nil {
		return 10
	}
	return n
}

func head(c call) error {
	n := c.count()
	if n < 0 {
		size, err := strconv.ParseInt(strings.NewReplacer("K", "000", "M", "000000").Replace(c.args[1]), 10, 64)
		if err != nil {
			return err
		}
		if c.args = c.args[2:]; slices.Equal(c.args, []string{"/dev/zero"}) {
			c.args, c.Stdin = nil, nil
			_, err = io.CopyN(c.Stdout, zeros{}, size)
			return err
		}
		in, err := c.input()
		if err == nil {
			_, err = io.Copy(c.Stdout, io.LimitReader(in, size))
		}
		return err
	}
	in, err := c.input()
	if err != nil {
		return err
	}
	lines := bufio.NewReader(in)
	for ; n > 0 && err == nil; n-- {
		var line string
		line, err = lines.ReadString('\n')
		io.WriteString(c.Stdout, line)
	}
	return nil
}

// zeros is the content of /dev/zero.
type zeros struct{}

func (zeros) Read(data []byte) (int, error) {
	clear(data)
	return len(data), nil
}

func tail(c call) error {
	n := c.count()
	in, err := c.input()
	if err != nil {
		return err
	}
	text, err := io.ReadAll(in)
	lines := slices.Collect(strings.Lines(string(text)))
	io.WriteString(c.Stdout, strings.Join(lines[max(0, len(lines)-n):], ""))
	return err
}

func ls(c call) error {
	c.flags()
	if len(c.args) == 0 {
		c.args = []string{"."}
	}
	return c.each(c.args, func(path string) error {
		entries, err := os.ReadDir(path)
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Name(), ".") {
				fmt.Fprintln(c.Stdout, entry.Name())
			}
		}
		return err
	})
}

func mkdir(c call) error {
	makeOne := func(path string) error { return os.Mkdir(path, 0o777) }
	if strings.Contains(c.flags(), "p") {
		makeOne = func(path string) error { return os.MkdirAll(path, 0o777) }
	}
	return c.each(c.args, makeOne)
}

func mv(c call) error {
	c.flags()
	return os.Rename(c.at(c.args[0]), c.into(c.args[1], c.args[0]))
}

// printf runs the printf of the shell interpreter.
func printf(c call) error {
	program, err := syntax.NewParser().Parse(strings.NewReader(`printf "$@"`), "printf")
	if err != nil {
		return err
	}
	runner, err := interp.New(interp.StdIO(nil, c.Stdout, c.Stderr), interp.Params(append([]string{"--"}, c.args...)...))
	if err != nil {
		return err
	}
	return runner.Run(c.ctx, program)
}

func rm(c call) error {
	flags := c.flags()
	return c.each(c.args, func(path string) error {
		switch {
		case strings.Contains(flags, "r"):
			return os.RemoveAll(path)
		case strings.Contains(flags, "f"):
			if _, err := os.Lstat(path); err != nil {
				return nil
			}
		}
		return os.Remove(path)
	})
}

func seq(c call) error {
	first, last := 1, 0
	var err error
	if len(c.args) > 1 {
		first, err = strconv.Atoi(c.args[0])
	}
	if err == nil {
		last, err = strconv.Atoi(c.args[len(c.args)-1])
	}
	out := bufio.NewWriter(c.Stdout)
	for ; first <= last; first++ {
		fmt.Fprintln(out, first)
	}
	return errors.Join(err, out.Flush())
}

func sleep(c call) error {
	seconds, err := strconv.ParseFloat(c.args[0], 64)
	select {
	case <-time.After(time.Duration(seconds * float64(time.Second))):
	case <-c.ctx.Done():
	}
	return err
}

func touch(c call) error {
	return c.each(c.args, func(path string) error {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		return errors.Join(f.Close(), os.Chtimes(path, time.Now(), time.Now()))
	})
}

func tr(c call) error { // tr -d '\n'
	for {
		data := make([]byte, 64<<10)
		n, err := c.Stdin.Read(data)
		if _, err := c.Stdout.Write(bytes.ReplaceAll(data[:n], []byte("\n"), nil)); err != nil {
			return nil
		}
		if err != nil {
			return nil
		}
	}
}

func truncate(c call) error { // truncate -s SIZE FILE
	size := strings.NewReplacer("K", "000", "M", "000000", "G", "000000000").Replace(c.args[1])
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(c.at(c.args[2]), os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(n), f.Close())
}

func wc(c call) error {
	flags := c.flags()
	in, err := c.input()
	if err != nil {
		return err
	}
	text, err := io.ReadAll(in)
	n := bytes.Count(text, []byte("\n"))
	if strings.Contains(flags, "c") {
		n = len(text)
	}
	fmt.Fprintln(c.Stdout, n)
	return err
}

func yes(c call) error {
	line := "y"
	if len(c.args) > 0 {
		line = strings.Join(c.args, " ")
	}
	out := []byte(strings.Repeat(line+"\n", 64<<10/(len(line)+1)))
	for {
		if _, err := c.Stdout.Write(out); err != nil {
			return nil
		}
	}
}
