package provider

import (
	"net/url"
	"slices"
	"strings"

	"agent/internal/llm/vendor"
)

// Names returns the names of all vendors.
func Names() []string {
	var names []string
	for _, v := range vendor.All() {
		names = append(names, v.Name)
	}
	return names
}

// vendorAt returns the vendor whose host a base URL names. Only over
// https is it that vendor; what listens on a port of this machine is not known.
func vendorAt(baseURL string) (vendor.Vendor, bool) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "https" {
		return vendor.Vendor{}, false
	}
	for _, p := range vendor.All() {
		if !p.Local() && hostOf(p.BaseURL) == strings.ToLower(u.Host) {
			return p, true
		}
	}
	return vendor.Vendor{}, false
}

// isVendor reports whether a base URL names the host of a vendor, whatever its scheme
// and port.
func isVendor(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil {
		return false
	}
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	return slices.ContainsFunc(vendor.All(), func(p vendor.Vendor) bool { return !p.Local() && hostOf(p.BaseURL) == name })
}

// hostOf is the host of a base URL with its port, in lower case.
func hostOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}
