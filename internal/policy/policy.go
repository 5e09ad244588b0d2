// Package policy reads the restrictions that the administrator of a machine has set for this
// program. A policy only narrows: what it excludes stays excluded, whatever a user or a repository
// configures.
//
// Load reads the file. Each member of the file is a list of what is allowed, and a missing member
// restricts nothing. There are two exceptions: deny contains rules in the syntax of
// .claude/settings.json, and sandbox is one word. A nil Policy represents a machine without a
// policy. Its methods allow everything.
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

// The values of the member sandbox, the narrowest last.
const (
	// Auto means that a user cannot turn off the sandbox.
	Auto = "auto"
	// Require means that no command runs without a sandbox.
	Require = "require"
	// Strict includes Require. In addition, no command runs outside the sandbox, and no setting
	// widens it.
	Strict = "strict"
)

// A Policy is the content of a policy file. A nil list restricts nothing, and an empty list allows
// nothing.
type Policy struct {
	// Path is the path of the file. Hash is the SHA-256 of its content in hexadecimal.
	Path string
	Hash string

	// Modes lists approval modes. Tools lists tools by our names or as mcp__SERVER__TOOL; a name
	// may end with a star.
	Modes []string
	Tools []string
	// Deny lists rules that refuse calls.
	Deny []string
	// Hosts lists the hosts that tools may reach. An entry includes the subdomains.
	Hosts []string
	// Providers lists vendors by name and endpoints by address. Servers lists MCP servers by
	// address or command. Logins lists what API keys may be stored for: vendors, search:SERVICE,
	// and addresses.
	Providers []string
	Servers   []string
	Logins    []string
	// Sandbox is one of the values above. "" restricts nothing, but Hosts still require a sandbox.
	Sandbox string
	// CacheWarming is the widest allowed value of the setting cache-warming: off or working, or ""
	// for no limit.
	CacheWarming string
}

// DenyAll returns a policy that allows nothing. It replaces a file that cannot be used.
func DenyAll(path string) *Policy {
	none := []string{}
	return &Policy{Path: path, Modes: none, Tools: none, Hosts: none, Providers: none, Servers: none, Logins: none, Sandbox: Strict, CacheWarming: settings.CacheWarmingOff}
}

// ID returns the hash of the file, or "" for a nil Policy.
func (p *Policy) ID() string {
	if p == nil {
		return ""
	}
	return p.Hash
}

// maxSize is the greatest size of the file, in bytes.
const maxSize = 1 << 20

// A File is the path of a policy and the check of its owner.
type File struct {
	Path string
	// owned returns the reason why a user without administrator rights could have written a file or
	// folder. It returns "" if none could.
	owned func(path string, info fs.FileInfo) string
	// lost is the error of a system that does not report the path of the policy file. It is then
	// unknown whether there is a policy.
	lost error
}

// OwnedBy returns a file that must belong to the user with an ID. It is for tests; System returns
// the file of this machine.
func OwnedBy(path string, user int) File {
	return File{Path: path, owned: func(_ string, info fs.FileInfo) string { return fsutil.WritableByOthers(info, user) }}
}

// Load reads a policy. It returns nil if there is no file. After an error nothing may run. The
// error names the problem in the file.
func (f File) Load() (*Policy, error) {
	if f.Path == "" {
		return nil, nil
	}
	if f.lost != nil {
		return nil, fmt.Errorf("can't determine the policy of this machine (%s), so agent does not start: %w", f.Path, f.lost)
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
		return nil, fmt.Errorf("the policy %s is invalid, so agent does not start: %s. Ask your administrator to correct it", f.Path, humanize.Line(err.Error(), 300))
	}
	sum := sha256.Sum256(data)
	p.Hash = hex.EncodeToString(sum[:])
	return p, nil
}

// read returns the content of the file if only its owner can have written it. It returns an error
// for a broken link, because its target may exist again later.
func (f File) read() ([]byte, error) {
	folder, err := os.Stat(filepath.Dir(f.Path))
	if err != nil {
		if _, missing := os.Lstat(filepath.Dir(f.Path)); missing == nil {
			return nil, errors.New("its folder is a broken link: " + fsutil.Reason(err).Error())
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
		return nil, errors.New("it is a symbolic link")
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
		return nil, errors.New("it was replaced while agent read it")
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

// check returns an error for values that have no restricting effect.
func (p *Policy) check() error {
	for _, mode := range p.Modes {
		if !slices.Contains(gate.ModeNames(), mode) {
			return fmt.Errorf("modes contains the unknown mode %q; valid: %s", mode, strings.Join(gate.ModeNames(), ", "))
		}
	}
	if !slices.Contains([]string{"", Auto, Require, Strict}, p.Sandbox) {
		return fmt.Errorf("sandbox is %q; valid: %s, %s and %s", p.Sandbox, Auto, Require, Strict)
	}
	if !slices.Contains([]string{"", settings.CacheWarmingOff, settings.CacheWarmingWorking}, p.CacheWarming) {
		return fmt.Errorf("cache-warming is %q; valid: %s and %s", p.CacheWarming, settings.CacheWarmingOff, settings.CacheWarmingWorking)
	}
	for _, entry := range p.Servers {
		if _, address, is := strings.Cut(entry, "://"); is && strings.Contains(address, "*") && strings.IndexByte(address, '*') < strings.IndexByte(address+"/", '/') {
			return fmt.Errorf("servers has %q: a * in a host name would also match other hosts", entry)
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

// Rules returns the rules of the policy that refuse calls in a workspace.
func (p *Policy) Rules(workspace, home string) permissions.Rules {
	if p == nil {
		return permissions.Rules{}
	}
	return permissions.Parse(permissions.Deny, p.Deny, p.Path, workspace, home)
}

// Describe describes the policy to a user, with one line for each restriction.
func (p *Policy) Describe() []string {
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
