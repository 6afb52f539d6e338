package redis

import (
	"crypto/sha256"
	"encoding/hex"
)

// Operations of several steps are scripts, which a server runs atomically. Each may run again if the
// connection was lost before its result arrived: it first checks which steps remain.

// publishScript adds an entry, unless its id is known. KEYS: the stream, the key of the id or
// nothing. ARGV: milliseconds to remember the id, fields and values. Extending the time of a known
// id is a write, so that WAITAOF also waits for the first publication.
const publishScript = `
if KEYS[2] and redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
  return 0
end
redis.call('XADD', KEYS[1], '*', unpack(ARGV, 2))
if KEYS[2] then redis.call('SET', KEYS[2], '', 'PX', ARGV[1]) end
return 1`

// ackScript removes entries. KEYS: the stream. ARGV: the group, ids.
const ackScript = `
redis.call('XACK', KEYS[1], ARGV[1], unpack(ARGV, 2))
return redis.call('XDEL', KEYS[1], unpack(ARGV, 2))`

// returnScript moves an entry to the end of the stream, or to the entries for later. KEYS: the
// stream, the entries for later, their times. ARGV: the group, the id, the delay in milliseconds.
const returnScript = `
local entry = redis.call('XRANGE', KEYS[1], ARGV[2], ARGV[2])[1]
if entry then
  if tonumber(ARGV[3]) > 0 then
    local now = redis.call('TIME')
    local id = redis.call('XADD', KEYS[2], '*', unpack(entry[2]))
    redis.call('ZADD', KEYS[3], now[1] * 1000 + math.floor(now[2] / 1000) + ARGV[3], id)
  else
    redis.call('XADD', KEYS[1], '*', unpack(entry[2]))
  end
end
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
return redis.call('XDEL', KEYS[1], ARGV[2])`

// dueScript moves due entries for later to the end of the stream, and returns the milliseconds until
// the next one, -1 for none. KEYS: as for returnScript. ARGV: the maximum number of entries.
const dueScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, ARGV[1])) do
  local entry = redis.call('XRANGE', KEYS[2], id, id)[1]
  if entry then redis.call('XADD', KEYS[1], '*', unpack(entry[2])) end
  redis.call('XDEL', KEYS[2], id)
  redis.call('ZREM', KEYS[3], id)
end
local first = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
if not first[2] then return -1 end
return math.max(0, first[2] - now)`

// deadScript moves an entry to the dead letters. KEYS: the stream, the dead letters. ARGV: the
// group, the id, the name of the header with the reason, the reason, and optionally fields and
// values that replace the entry's.
const deadScript = `
local entry = redis.call('XRANGE', KEYS[1], ARGV[2], ARGV[2])[1]
if entry then
  local fields = entry[2]
  if #ARGV > 4 then fields = {unpack(ARGV, 5)} end
  fields[#fields + 1] = ARGV[3]
  fields[#fields + 1] = ARGV[4]
  redis.call('XADD', KEYS[2], '*', unpack(fields))
end
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
return redis.call('XDEL', KEYS[1], ARGV[2])`

// renewScript resets the idle time of entries that still belong to the consumer. KEYS: the stream.
// ARGV: the group, the consumer, ids.
const renewScript = `
for i = 3, #ARGV do
  if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[i], ARGV[i], 1, ARGV[2]) > 0 then
    redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[i], 'JUSTID')
  end
end
return 1`

// leaveScript moves all entries of a consumer to the end of the stream, and removes the consumer.
// KEYS: the stream. ARGV: the group, the consumer.
const leaveScript = `
while true do
  local list = redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 100, ARGV[2])
  if #list == 0 then break end
  for _, pending in ipairs(list) do
    local entry = redis.call('XRANGE', KEYS[1], pending[1], pending[1])[1]
    if entry then redis.call('XADD', KEYS[1], '*', unpack(entry[2])) end
    redis.call('XACK', KEYS[1], ARGV[1], pending[1])
    redis.call('XDEL', KEYS[1], pending[1])
  end
end
return redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])`

// forgetScript removes idle consumers without entries. KEYS: the stream. ARGV: the group, the idle
// time in milliseconds.
const forgetScript = `
for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local of = {}
  for i = 1, #consumer, 2 do of[consumer[i]] = consumer[i + 1] end
  if of.pending == 0 and of.idle > tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], of.name)
  end
end
return 1`

// digest returns a form of an id of any length for use in a key.
func digest(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}
