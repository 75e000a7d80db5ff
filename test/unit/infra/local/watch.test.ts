import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { UserError } from '../../../../infra/command-line/user-error.ts'
import { watchCode } from '../../../../infra/local/watch.ts'

const applyingLine = '[watch] The code has changed: applying ...'
const successLine = '[watch] The changed code is in use.'
const failureLine = '[watch] pet.ts is broken.\n[watch] The code from before the change is still in use.'

type WatchOptions = Parameters<typeof watchCode>[0]

/** Starts a watch that ends with the test. The code `first` is in use. */
const startWatch = (watch: Pick<WatchOptions, 'readFingerprint' | 'apply'> & Partial<WatchOptions>): void => {
  const endWatch = watchCode({ initialFingerprint: 'first', generate: async () => {}, writeLine: () => {}, ...watch })
  onTestFinished(endWatch)
}

/**
 * Starts a watch. Each reading of the code sees the next fingerprint; after the last one, readings see it again. A
 * watch reads the code at each poll, and once more before it applies it. Applying the code `broken` fails.
 */
const watchFingerprints = (fingerprints: readonly string[]) => {
  const remaining = [...fingerprints]
  let current = 'first'
  const applied: string[] = []
  const lines: string[] = []
  startWatch({
    readFingerprint: () => {
      current = remaining.shift() ?? current
      return current
    },
    apply: async () => {
      applied.push(current)
      if (current === 'broken') throw new UserError('pet.ts is broken.')
    },
    writeLine: (line) => lines.push(line),
  })
  return { applied, lines }
}

beforeEach(() => {
  vi.useFakeTimers()
})

/** Lets some fifty polls of a watch pass. */
const pollOften = () => vi.advanceTimersByTimeAsync(10_000)

test('a watch generates files before it applies a change, and applies them with it', async () => {
  let fingerprint = 'first'
  const applied: string[] = []
  startWatch({
    readFingerprint: () => fingerprint,
    generate: async () => {
      fingerprint = 'generated'
    },
    apply: async () => {
      applied.push(fingerprint)
    },
  })

  fingerprint = 'changed'
  await pollOften()

  expect(applied).toEqual(['generated'])
})

test('a watch applies a change once two polls in a row have seen the same code, so several files are one change', async () => {
  const { applied } = watchFingerprints(['first', 'part1', 'part2', 'last', 'last'])

  await pollOften()

  expect(applied).toEqual(['last'])
})

test('a watch applies a change only after it has applied the one before', async () => {
  let fingerprint = 'first'
  const events: string[] = []
  startWatch({
    readFingerprint: () => fingerprint,
    apply: async () => {
      const applied = fingerprint
      events.push(`${applied} begins`)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      events.push(`${applied} is applied`)
    },
  })

  fingerprint = 'second'
  await vi.advanceTimersByTimeAsync(500)
  fingerprint = 'third'
  await pollOften()

  expect(events).toEqual(['second begins', 'second is applied', 'third begins', 'third is applied'])
})

test('a watch says that a broken change is not in use, and applies a return to the earlier code', async () => {
  // Two polls see the broken code, and so does the reading before it is applied.
  const { applied, lines } = watchFingerprints(['broken', 'broken', 'broken', 'first'])

  await pollOften()

  expect(applied).toEqual(['broken', 'first'])
  expect(lines).toEqual([applyingLine, failureLine, applyingLine, successLine])
})
