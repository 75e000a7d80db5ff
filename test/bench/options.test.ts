import { describe, expect, it } from 'vitest'
import { readOptions } from './options.ts'

describe('the options of the benchmark', () => {
  it('measure every usual part in thirty rounds by default', () => {
    expect(readOptions([])).toMatchObject({ parts: ['bundles', 'cold', 'warm', 'calls'], rounds: 30 })
  })

  it('name one part or several, which run in the usual order', () => {
    expect(readOptions(['--only', 'cold'])).toMatchObject({ parts: ['cold'] })
    expect(readOptions(['--only', 'cold', '--only', 'bundles'])).toMatchObject({ parts: ['bundles', 'cold'] })
  })

  it.each([
    [['--only', 'colds'], 'Allowed choices are bundles, cold, '],
    [['--rounds', 'many'], 'It must be a whole number from 1 to 9999.'],
    [['--sizes', '1000'], 'It must be two or more numbers'],
    [['--sizes', '1000,999'], 'It must be a whole number from 1000 to 10000000.'],
  ])('say what is wrong: %s', (words, message) => {
    expect(() => readOptions(words)).toThrow(message)
  })
})
