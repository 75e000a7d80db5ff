import { describe, expect, it } from 'vitest'
import { partNames, readOptions } from './options.ts'

describe('the options of the benchmark', () => {
  it('measure every usual part for five seconds and thirty rounds unless told otherwise', () => {
    expect(readOptions([])).toMatchObject({ seconds: 5, rounds: 30, connections: 20, engine: 'dynalite' })
    expect(readOptions([])).toMatchObject({ parts: ['bundles', 'cold', 'warm', 'calls', 'throughput'] })
  })

  it('take six rounds for each second', () => {
    expect(readOptions(['--seconds', '1'])).toMatchObject({ seconds: 1, rounds: 6 })
    expect(readOptions(['--seconds', '1', '--rounds', '40'])).toMatchObject({ rounds: 40 })
  })

  it('name one part or several', () => {
    expect(readOptions(['--only', 'cold'])).toMatchObject({ parts: ['cold'] })
    expect(readOptions(['--only', 'cold', '--only', 'bundles'])).toMatchObject({ parts: ['cold', 'bundles'] })
  })

  it('give the help', () => {
    expect(readOptions(['--help'])).toBe('help')
  })

  it.each([
    [['--only', 'colds'], `There is no part colds. There are ${partNames.join(', ')}.`],
    [['--seconds', '0'], '--seconds takes a whole number from 1 to 9999.'],
    [['--rounds', 'many'], '--rounds takes a whole number from 1 to 9999.'],
    [['--engine', 'sqlite'], 'There is no engine sqlite.'],
    [['--fast'], "Unknown option '--fast'"],
  ])('say what is wrong: %s', (words, message) => {
    expect(() => readOptions(words)).toThrow(message)
  })
})
