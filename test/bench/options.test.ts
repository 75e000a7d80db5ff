import { describe, expect, it } from 'vitest'
import { readOptions } from './options.ts'

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

  it.each([
    [['--only', 'colds'], 'Did you mean cold?'],
    [['--seconds', '0'], 'It must be a whole number from 1 to 9999.'],
    [['--rounds', 'many'], 'It must be a whole number from 1 to 9999.'],
    [['--engine', 'sqlite'], 'It must be dynalite or dynamodb-local.'],
    [['--sizes', '1000'], 'It must be two or more numbers'],
    [['--sizes', '1000,999'], 'It must be a whole number from 1000 to 10000000.'],
    [['--fast'], "Unknown option '--fast'"],
  ])('say what is wrong: %s', (words, message) => {
    expect(() => readOptions(words)).toThrow(message)
  })
})
