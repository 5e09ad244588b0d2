// Package policy reads what the administrator of a machine has decided about this program, and lists
// the uses that it permits. A policy only narrows: whatever a user or a repository configures,
// nothing that it omits comes into use.
//
// Load reads the file. Each member of it is a list of what may be used, and a missing member bounds
// nothing; deny has rules as .claude/settings.json writes them, and sandbox is one word. The methods
// of a nil Policy, which stands for a machine without one, allow everything.
package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/extend/setup/permissions"
	"agent/internal/gate"
	"agent/internal/settings"
)

// The words of the member sandbox, the narrowest last.
const (
	// Auto means that a user cannot turn the sandbox off.
	Auto = "auto"
	// Require means that nothing starts without a sandbox.
	Require = "require"
	// Strict means Require, that no command leaves the sandbox, and that no setting widens it.
	Strict = "strict"
)

// A Policy is the content of a file. A nil list bounds nothing, an empty one allows nothing.
type Policy struct {
	// Path is the path of the file, and Hash identifies its content: sha256 in hexadecimal.
	Path string
	Hash string

	// Modes lists approval modes, and Tools tools by our names or as mcp__SERVER__TOOL, where a
	// star may end a name.
	Modes []string
	Tools []string
	// Deny has rules that refuse calls.
	Deny []string
	// Hosts lists hosts, each with those below it, that tools may reach.
	Hosts []string
	// Providers lists vendors by name and endpoints by address. Servers lists MCP servers by
	// address or command line. Logins lists what keys may be kept for: vendors, search:SERVICE,
	// and addresses.
	Providers []string
	Servers   []string
	Logins    []string
	// Sandbox is one of the words above, "" for no bound but the one that Hosts need.
	Sandbox string
	// CacheWarming is the widest value of the setting cache-warming: off or working, "" for no bound.
	CacheWarming string
}

// Nothing returns a policy that allows nothing, in place of a file that does not count.
func Nothing(path string) *Policy {
	none := []string{}
	return &Policy{Path: path, Modes: none, Tools: none, Hosts: none, Providers: none, Servers: none, Logins: none, Sandbox: Strict, CacheWarming: settings.WarmOff}
}

// ID returns the hash of the file, "" without a policy.
func (p *Policy) ID() string {
	if p == nil {
		return ""
	}
	return p.Hash
}

// maxSize limits the file, in bytes.
const maxSize = 1 << 20

// A File is where a policy is, and who has to own it.
type File struct {
	Path string
	// owned returns why a user without administrator rights could have written a file or folder, or
	// "" if none could.
	owned func(path string, info fs.FileInfo) string
	// lost is the error of a system that does not say where the policy file is. It is then unknown
	// whether there is one.
	lost error
}

// OwnedBy returns a file that has to belong to the user with an id. It is for tests: the file of a
// machine is that of System.
func OwnedBy(path string, user int) File {
	return File{Path: path, owned: func(_ string, info fs.FileInfo) string { return fsutil.WritersBeside(info, user) }}
}

// Load reads a policy, nil if there is no file. The error names the fault of the file, under
// which nothing may run.
func (f File) Load() (*Policy, error) {
	if f.Path == "" {
		return nil, nil
	}
	if f.lost != nil {
		return nil, fmt.Errorf("can't determine the policy of this machine (%s), so nothing may run: %w", f.Path, f.lost)
	}
	data, err := f.read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	p := &Policy{Path: f.Path}
	if err == nil {
		err = p.parse(data)
	}
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return nil, fmt.Errorf("the policy %s is invalid, so nothing may run: %s. Ask your administrator to correct it", f.Path, humanize.Line(err.Error(), 300))
	}
	sum := sha256.Sum256(data)
	p.Hash = hex.EncodeToString(sum[:])
	return p, nil
}

// read returns the content of the file, if nobody but its owner can have written it. A link that leads
// nowhere is no missing file: what it led to may come back.
func (f File) read() ([]byte, error) {
	folder, err := os.Stat(filepath.Dir(f.Path))
	if err != nil {
		if _, missing := os.Lstat(filepath.Dir(f.Path)); missing == nil {
			return nil, errors.New("its folder leads nowhere: " + fsutil.Reason(err).Error())
		}
		return nil, err
	}
	linked, err := os.Lstat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, unreadable(err)
	case linked.Mode()&fs.ModeSymlink != 0:
		return nil, errors.New("it is a link")
	case !linked.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	file, err := os.OpenFile(f.Path, os.O_RDONLY|fsutil.NoWait, 0)
	if err != nil {
		return nil, unreadable(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	why := f.owned(f.Path, info)
	switch of := f.owned(filepath.Dir(f.Path), folder); {
	case !os.SameFile(linked, info):
		return nil, errors.New("it was exchanged while it was read")
	case why != "":
		return nil, errors.New(why)
	case of != "":
		return nil, errors.New("of its folder, " + of)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err == nil && len(data) > maxSize {
		err = errors.New("it is longer than " + humanize.Bytes(maxSize))
	}
	return data, err
}

func unreadable(err error) error {
	return errors.New("it cannot be read: " + fsutil.Reason(err).Error())
}

// check refuses values that have no narrowing effect.
func (p *Policy) check() error {
	for _, mode := range p.Modes {
		if !slices.Contains(gate.ModeNames(), mode) {
			return fmt.Errorf("modes has %q; there are %s", mode, strings.Join(gate.ModeNames(), ", "))
		}
	}
	if !slices.Contains([]string{"", Auto, Require, Strict}, p.Sandbox) {
		return fmt.Errorf("sandbox is %q; there are %s, %s and %s", p.Sandbox, Auto, Require, Strict)
	}
	if !slices.Contains([]string{"", settings.WarmOff, settings.WarmWorking}, p.CacheWarming) {
		return fmt.Errorf("cache-warming is %q; there are %s and %s", p.CacheWarming, settings.WarmOff, settings.WarmWorking)
	}
	for _, entry := range p.Servers {
		if _, address, is := strings.Cut(entry, "://"); is && strings.Contains(address, "*") && strings.IndexByte(address, '*') < strings.IndexByte(address+"/", '/') {
			return fmt.Errorf("servers has %q, whose star is in the name of a host: other hosts begin the same", entry)
		}
	}
	for _, login := range p.Logins {
		if _, err := placeOf(login); err != nil {
			return fmt.Errorf("logins: %w", err)
		}
	}
	if problems := p.Rules("/", "/").Problems; len(problems) > 0 {
		return errors.New(problems[0])
	}
	return nil
}

// Rules returns the rules that refuse calls in a workspace.
func (p *Policy) Rules(workspace, home string) permissions.Rules {
	if p == nil {
		return permissions.Rules{}
	}
	return permissions.Parse(permissions.Deny, p.Deny, p.Path, workspace, home)
}

// Lines describes the policy to a user, a line for each bound.
func (p *Policy) Lines() []string {
	var lines []string
	for _, bound := range []struct {
		name string
		list []string
	}{
		{"modes", p.Modes},
		{"tools", p.Tools},
		{"deny", p.Deny},
		{"hosts", p.Hosts},
		{"providers", p.Providers},
		{"servers", p.Servers},
		{"logins", p.Logins},
	} {
		switch {
		case bound.list == nil:
		case len(bound.list) == 0:
			lines = append(lines, bound.name+": none")
		default:
			lines = append(lines, bound.name+": "+strings.Join(bound.list, ", "))
		}
	}
	if sandbox := p.sandbox(); sandbox != "" {
		lines = append(lines, "sandbox: "+sandbox)
	}
	if p.CacheWarming != "" {
		lines = append(lines, "cache-warming: "+p.CacheWarming)
	}
	return lines
}
