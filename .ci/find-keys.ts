import { isWellFormed } from '../shared/api-keys/api-key.ts'
import { publicKeys } from './public-keys.ts'

/**
 * The API keys in a text, in clear or in base64, hex or percent-encoding, without the public ones. The
 * checksum tells a key from what only looks like one.
 */
export const findKeys = (text: string): readonly string[] => {
  const readings = [text, ...decode(text, /[A-Za-z0-9+/_-]{40,}/g, base64), ...decode(text, hexRun, hex)]
  if (text.includes('%')) readings.push(text.replace(/%([0-9a-f]{2})/gi, (_whole, byte) => hex(byte)))
  return [...new Set(readings.flatMap(keysIn))]
}

const keysIn = (text: string): string[] =>
  (text.match(/pet_(?:live|test)_[0-9A-Za-z]{38,119}/g) ?? []).filter(
    (key) => (isWellFormed(key, 'pet_live_') || isWellFormed(key, 'pet_test_')) && !publicKeys.has(key),
  )

const hexRun = /(?:[0-9a-f]{2}){40,}/gi

const decode = (text: string, runs: RegExp, decodeRun: (run: string) => string): string[] =>
  (text.match(runs) ?? []).map(decodeRun)

/** A key may begin at any of three places of a longer text in base64, so each is read. */
const base64 = (run: string): string =>
  [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString('latin1')).join('\n')

const hex = (run: string): string => Buffer.from(run, 'hex').toString('latin1')
