package viewer

// Policy returns the Content-Security-Policy of a page that [WriteServed] writes, for a header. The
// page contains it too.
func (s Served) Policy() string {
	return Policy{Style: Style(), Script: script(), Connects: s.DetailsURL != ""}.String()
}
