package provider

import (
	"net/url"
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

// vendorAt returns the vendor whose host a base URL names, the zero Vendor for others. Only
// over https is it that vendor; what listens on a port of this machine is not known.
func vendorAt(baseURL string) vendor.Vendor {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "https" {
		return vendor.Vendor{}
	}
	return ofHost(strings.ToLower(u.Host))
}

// isVendor reports whether a base URL names the host of a vendor, whatever its scheme
// and port.
func isVendor(baseURL string) bool {
	u, err := url.Parse(baseURL)
	return err == nil && ofHost(strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")).Name != ""
}

// ofHost is the vendor at a host, the zero Vendor if there is none.
func ofHost(host string) vendor.Vendor {
	for _, v := range vendor.All() {
		if !v.Local() && hostOf(v.BaseURL) == host {
			return v
		}
	}
	return vendor.Vendor{}
}

// hostOf is the host of a base URL with its port, in lower case.
func hostOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}
