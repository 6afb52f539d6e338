package repair

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/provider"
)

// dropCachePoint removes a cache point, or shortens its time.
func (r *repairer) dropCachePoint(f provider.Fault) bool {
	i := r.indexOf(f.At)
	if f.At.Name() == "ttl" {
		r.step(f, i, "set the time of a cache point to 5m")
		r.edit(i, f.At, format.Fill("%", "5m"))
		return true
	}
	r.step(f, i, "removed a cache point")
	r.edit(i, f.At, nil)
	return true
}
