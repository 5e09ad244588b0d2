package permissions

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"agent/internal/base/rawjson"
)

// Offer is a list of rules in a repository's file that would allow calls without approval.
type Offer struct {
	File  string
	Line  int
	Rules []string
}

// personal lists settings of Claude Code that run something, contain keys, change the endpoint or
// allow more. They are ignored in a repository.
var personal = []string{
	"apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "enableAllProjectMcpServers", "enabledMcpjsonServers", "env", "headersHelper",
	"model", "notify", "notifications", "otelHeadersHelper", "outputStyle", "statusLine", "theme",
}

// personalPermissions lists the settings below "permissions" that are ignored in a repository.
var personalPermissions = []string{"additionalDirectories", "defaultMode", "disableBypassPermissionsMode"}

// offer adds the rules of a repository's file that would allow more to Offered. It adds the
// settings that a repository must not make to Ignored.
func (r *Rules) offer(file string, data []byte) {
	var all, permissions map[string]json.RawMessage
	_ = json.Unmarshal(data, &all)                       // file has already reported errors
	_ = json.Unmarshal(all["permissions"], &permissions) // a value that is not an object is ignored
	var allow []string
	if err := json.Unmarshal(permissions["allow"], &allow); err != nil && permissions["allow"] != nil {
		r.Ignored = append(r.Ignored, file+": permissions.allow is not a list of rules")
	} else if len(allow) > 0 {
		r.Offered = append(r.Offered, Offer{file, lineOf(data, "/permissions/allow"), allow})
	}
	var named []string
	for key := range all {
		if slices.Contains(personal, key) {
			named = append(named, key)
		}
	}
	for key := range permissions {
		if slices.Contains(personalPermissions, key) {
			named = append(named, "permissions."+key)
		}
	}
	if len(named) > 0 {
		slices.Sort(named)
		r.Ignored = append(r.Ignored, file+": "+strings.Join(named, ", ")+" (a repository can't set this, only you)")
	}
}

// lineOf returns the line of the last member with this JSON pointer. The last member is in effect.
func lineOf(data []byte, member jsontext.Pointer) int {
	d := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	at := 0
	for {
		token, err := d.ReadToken()
		if err != nil {
			return rawjson.PositionAt(data, at).Line
		}
		if token.Kind() == '"' && d.StackPointer() == member {
			at = int(d.InputOffset())
		}
	}
}
