import { expect, it } from 'vitest'
import { parseSettings, readSettings } from '../../../../../../infra/commands/pets/sync/settings.ts'

const valid = `
source: oak-lane
columns: { reference: 'No #', name: Animal, category: Kind, status: State }
categories: { Dog: 11, Guinea Pig: 9007199254740993 }
statuses: { Ready: available, Adopted: sold, On hold: hidden }
missing: remove
`

it('settings are read with exact category ids', () => {
  expect(parseSettings(valid)).toEqual({
    source: 'oak-lane',
    columns: { reference: 'No #', name: 'Animal', category: 'Kind', status: 'State' },
    categories: new Map([
      ['Dog', 11n],
      ['Guinea Pig', 9_007_199_254_740_993n],
    ]),
    statuses: new Map([
      ['Ready', 'available'],
      ['Adopted', 'sold'],
      ['On hold', 'hidden'],
    ]),
    missing: 'remove',
  })
})

it.each([
  { mistake: ['source: oak-lane', 'source: Oak Lane'], sentence: 'source must be at most 64 lower-case letters' },
  { mistake: ['source: oak-lane\n', ''], sentence: 'source is missing' },
  { mistake: ['status: State', 'state: State'], sentence: 'columns.status is missing.\ncolumns.state is no setting.' },
  { mistake: ['Dog: 11', 'Dog: 1.5'], sentence: 'categories.Dog must be a category id' },
  { mistake: ['Dog: 11', 'Dog: 9223372036854775808'], sentence: 'categories.Dog must be a category id' },
  { mistake: ['Ready: available', 'Ready: free'], sentence: 'statuses.Ready must be one of available, pending, sold' },
  { mistake: ['missing: remove', 'missing: keep'], sentence: 'missing must be remove or sold' },
  { mistake: ['missing: remove', 'missing: remove\nencoding: latin'], sentence: 'encoding must be the name of an' },
  { mistake: ['missing: remove', 'missing: remove\nmissing: sold'], sentence: 'Line 7: Map keys must be unique' },
  { mistake: [valid, ''], sentence: 'The file must be a list of settings' },
])('the mistake "$sentence" is a sentence', ({ mistake: [part = '', replacement = ''], sentence }) => {
  const parse = () => parseSettings(valid.replace(part, replacement))

  expect(parse).toThrow(expect.objectContaining({ exitCode: 2, message: expect.stringContaining(`\n${sentence}`) }))
})

it('settings that are missing are a mistake in the command line', () => {
  expect(() => readSettings('/nowhere/oak-lane.yaml')).toThrow(expect.objectContaining({ exitCode: 2 }))
})
