package provider

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"agent/internal/base/lazyregexp"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// cloudName is the form of a project, a region or a resource, which is a part of an address.
var cloudName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$`)

// addressOf returns the address of a vendor. For a cloud, the address belongs to the user's account.
func (from EndpointSources) addressOf(v vendor.Vendor) (string, error) {
	c := v.Cloud
	if c == nil {
		return v.BaseURL, nil
	}
	if c.Endpoint != "" && from.Env != nil && from.cloud("resource") == "" && from.Env(c.Endpoint) != "" {
		base, err := NormalizeBaseURL(from.Env(c.Endpoint))
		if err != nil || !strings.HasPrefix(base, "https://") {
			return "", fmt.Errorf("%s is not an https address such as https://NAME.openai.azure.com", c.Endpoint)
		}
		u, err := url.Parse(base)
		if err != nil {
			return "", err
		}
		return "https://" + u.Host + c.Path, nil
	}
	return from.filled(v, c.Address, c.Global)
}

// claudeAddressOf returns the address of the Messages API for Claude models at a cloud, or "" if they
// are served at the usual address.
func (from EndpointSources) claudeAddressOf(v vendor.Vendor) (string, error) {
	if v.Cloud == nil || v.Cloud.Claude == "" {
		return "", nil
	}
	return from.filled(v, v.Cloud.Claude, v.Cloud.ClaudeGlobal)
}

// filled returns an address of a cloud with the parts of the user's account. In the region global, it
// uses the address global.
func (from EndpointSources) filled(v vendor.Vendor, address, global string) (string, error) {
	c := v.Cloud
	if global != "" && from.cloudOr(c, "region") == "global" {
		address = global
	}
	for _, name := range []string{"project", "region", "resource"} {
		if !strings.Contains(address, "{"+name+"}") {
			continue
		}
		value := from.cloudOr(c, name)
		switch {
		case value == "":
			variables := append(append([]string{}, c.Variables[name]...), c.Endpoint)
			return "", fmt.Errorf("%s needs a %s: set cloud.%s, or %s", v.Name, name, name, strings.Trim(strings.Join(variables, " or "), " or"))
		case !cloudName.MatchString(value):
			return "", fmt.Errorf("invalid %s of %s. Use letters, digits, - and _", name, v.Name)
		}
		address = strings.ReplaceAll(address, "{"+name+"}", value)
	}
	return address, nil
}

func (from EndpointSources) cloud(name string) string {
	if from.CloudSetting == nil {
		return ""
	}
	return from.CloudSetting(name)
}

// cloudOr returns the setting cloud.NAME, or otherwise the first environment variable with a value for
// it.
func (from EndpointSources) cloudOr(c *vendor.Cloud, name string) string {
	if value := from.cloud(name); value != "" || from.Env == nil {
		return value
	}
	for _, variable := range c.Variables[name] {
		if value := strings.TrimSpace(from.Env(variable)); value != "" {
			return value
		}
	}
	return ""
}

// fromCommand uses the command that prints the API key, if the layer that sets the command also sets
// the address. A key file of a stronger layer takes precedence.
func (e *Endpoint) fromCommand(from EndpointSources) (done bool, err error) {
	command, file := from.KeyCommand, from.KeyFile
	switch {
	case command.Text == "" || !e.accepts(command.From, from):
		return false, nil
	case file.Text != "" && file.From == command.From:
		return false, errors.New(settings.AuthKeyfile.Key() + " and " + settings.AuthCommand.Key() + " are both set (" + command.From.String() + "). Remove one")
	case file.Text != "" && file.From > command.From && e.accepts(file.From, from):
		return false, nil
	}
	e.Command, e.KeyFrom = command.Text, settings.AuthCommand.Key()
	return true, nil
}
