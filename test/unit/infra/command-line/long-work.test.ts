import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  processInBatches,
  runInterruptibly,
  startProgress,
  waitForAll,
} from '../../../../infra/command-line/long-work.ts'
import { interruptCommand } from '../../../fixtures/commands.ts'
import { startNode } from '../../../fixtures/node-process.ts'

const countListeners = (): readonly number[] => [
  process.listenerCount('SIGINT'),
  process.listenerCount('SIGTERM'),
  process.listenerCount('SIGHUP'),
]

/** The numbers from 0 on. */
const listItems = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

interface Run {
  readonly items: readonly number[]
  readonly processBatch: (batch: readonly number[]) => unknown
  readonly perSecond?: number
}

/** Processes items as a command does. */
const runCommand = ({ items, processBatch, perSecond }: Run): Promise<void> =>
  runInterruptibly(
    () => 'Run the command again.',
    (signal) => processInBatches('pets', items, async (batch) => processBatch(batch), { signal, perSecond }),
  )

describe('long work', () => {
  it('long work ends after the batch in which an item fails', async () => {
    const processedItems: number[] = []
    const processItem = async (item: number): Promise<void> => {
      if (item === 5) throw new Error('socket hang up')
      await new Promise(setImmediate)
      processedItems.push(item)
    }

    const running = runCommand({
      items: listItems(250),
      processBatch: (batch) => waitForAll(batch.map(processItem)),
    })

    await expect(running).rejects.toThrow(/socket hang up .* Run the command again\.$/)
    // The first batch has 100 items, and one of them failed.
    expect(processedItems).toHaveLength(99)
  })

  it('long work listens for no signal after it has failed', async () => {
    const listenersBefore = countListeners()
    const processBatch = () => Promise.reject(new Error('socket hang up'))

    await expect(runCommand({ items: listItems(250), processBatch })).rejects.toThrow('socket hang up')

    expect(countListeners()).toEqual(listenersBefore)
  })

  it('long work on eleven items takes a second at a rate of ten items a second', async () => {
    const startedAt = performance.now()

    await runCommand({ items: listItems(11), processBatch: () => undefined, perSecond: 10 })

    // Timers of Node.js may end some milliseconds early.
    expect(performance.now() - startedAt).toBeGreaterThan(995)
  })

  it('long work ends after the batch in which it is interrupted, even at a slow rate', async () => {
    const processBatch = vi.fn((_batch: readonly number[]) => {
      setTimeout(interruptCommand, 10)
    })

    const running = runCommand({ items: listItems(250), processBatch, perSecond: 1 })

    await expect(running).rejects.toMatchObject({ message: 'Interrupted. Run the command again.', exitCode: 130 })
    expect(processBatch).toHaveBeenCalledExactlyOnceWith([0])
  })

  it('long work ends at once at a second Ctrl-C that is no echo of the first one', async () => {
    // This work ignores the first Ctrl-C, and ends by itself after ten seconds.
    const work = `
      import { listenForInterruption } from './infra/command-line/long-work.ts'
      const { signal } = listenForInterruption()
      signal.addEventListener('abort', () => console.log('interrupted'))
      setTimeout(() => {}, 10_000)
      console.log('begun')
    `
    const { child, output, ended } = startNode(['--input-type=module', '--eval', work])
    await expect.poll(output).toContain('begun')
    child.kill('SIGINT')
    await expect.poll(output).toContain('interrupted')

    // An echo comes within half a second.
    await sleep(600)
    child.kill('SIGINT')

    expect(await ended).toBe(130)
  })
})

describe('progress', () => {
  const { isTTY } = process.stderr

  afterEach(() => {
    process.stderr.isTTY = isTTY
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  /** Starts fake time, and collects what is written to standard error, which is a terminal or not. */
  const collectOutput = ({ isTerminal }: { readonly isTerminal: boolean }): readonly string[] => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const output: string[] = []
    vi.spyOn(console, 'error').mockImplementation((line: string) => void output.push(line))
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      output.push(String(text))
      return true
    })
    process.stderr.isTTY = isTerminal
    return output
  }

  it('progress is a line every five seconds where standard error is no terminal', () => {
    const output = collectOutput({ isTerminal: false })

    using progress = startProgress('pets', 20_000)
    for (let second = 0; second < 11; second += 1) {
      vi.advanceTimersByTime(1_000)
      progress.count(200)
    }

    expect(output).toEqual([
      '1,000 of 20,000 pets, 200 a second, 1:35 left',
      '2,000 of 20,000 pets, 200 a second, 1:30 left',
    ])
  })

  it('progress has no total if the total is unknown', () => {
    const output = collectOutput({ isTerminal: false })

    using progress = startProgress('keys')
    vi.advanceTimersByTime(5_000)
    progress.count(1_000)

    expect(output).toEqual(['1,000 keys, 200 a second'])
  })

  it('progress on a terminal renews its line, and erases it at the end', () => {
    const output = collectOutput({ isTerminal: true })

    const progress = startProgress('pets', 900)
    vi.advanceTimersByTime(1_000)
    progress.count(300)
    vi.advanceTimersByTime(1_000)
    progress.count(300)
    progress[Symbol.dispose]()

    expect(output).toEqual([
      '\r\u001b[K300 of 900 pets, 300 a second, 0:02 left',
      '\r\u001b[K600 of 900 pets, 300 a second, 0:01 left',
      '\r\u001b[K',
    ])
  })

  it('progress of short work writes nothing to a terminal', () => {
    const output = collectOutput({ isTerminal: true })

    const progress = startProgress('pets', 900)
    progress.count(900)
    progress[Symbol.dispose]()

    expect(output).toEqual([])
  })
})
