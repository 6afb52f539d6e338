package redis

import (
	"crypto/sha256"
	"encoding/hex"
)

// What belongs together is done by scripts, which a server runs as a whole. Each may run again
// after a connection was lost with its answer: it looks first at what is still to be done.

// publishScript adds an entry, unless its id is known. KEYS: the stream, the key of the id or
// nothing. ARGV: milliseconds to know the id for, fields and values. Knowing an id longer is a
// write, so that WAITAOF has something to wait for, which comes after the first one.
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

// returnScript moves an entry to the end of the stream, or to those for later. KEYS: the
// stream, those for later, when. ARGV: the group, the id, in how many milliseconds.
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

// dueScript moves what was for later and is due to the end of the stream, and returns in how
// many milliseconds the next one is, -1 for none. KEYS: as returnScript has them. ARGV: how
// many at once.
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
// group, the id, the name of the header with the reason, the reason, and fields and values if they
// are to be there in place of the entry's.
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

// renewScript lets entries be idle from now on, if they are still the consumer's. KEYS: the
// stream. ARGV: the group, the consumer, ids.
const renewScript = `
for i = 3, #ARGV do
  if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[i], ARGV[i], 1, ARGV[2]) > 0 then
    redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[i], 'JUSTID')
  end
end
return 1`

// leaveScript moves all that a consumer has to the end of the stream, and removes the
// consumer. KEYS: the stream. ARGV: the group, the consumer.
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

// forgetScript removes consumers that hold nothing and have not been heard of. KEYS: the
// stream. ARGV: the group, for how many milliseconds.
const forgetScript = `
for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local of = {}
  for i = 1, #consumer, 2 do of[consumer[i]] = consumer[i + 1] end
  if of.pending == 0 and of.idle > tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], of.name)
  end
end
return 1`

// digest returns what an id of any length has as a part of a key.
func digest(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}
