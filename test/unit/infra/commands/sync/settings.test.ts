import { expect, it } from 'vitest'
import { parseSettings, readSettings } from '../../../../../infra/commands/sync/settings.ts'

const valid = `#
source: oak-lane
columns:
  number: 'Animal #'
  name: Animal
  category: Kind  # A comment.
  status: State
categories: { Dog: 11, Guinea Pig: 9007199254740993 }  # Another one.
statuses: { Ready: available, Adopted: sold, On hold: hidden }
missing: remove
`

const parse = (text: string) => parseSettings('/feeds/oak-lane.yaml', Buffer.from(text))

it('settings are read with exact category ids, and the default shares', () => {
  expect(parse(valid)).toMatchObject({
    source: 'oak-lane',
    columns: { number: 'Animal #', name: 'Animal', category: 'Kind', status: 'State' },
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
    lossPercent: 20,
    gainPercent: 100,
    encoding: undefined,
  })
})

it('words are read as they are written, also those that YAML takes for numbers and booleans', () => {
  const { source, categories, statuses } = parse(
    valid
      .replace('oak-lane', '2024')
      .replace(/\{ Dog.*/, '{ 01: 101, 1.10: 102, 1E5: 103 }')
      .replace(/\{ Ready.*/, '{ TRUE: available, no: hidden, ~: sold }'),
  )

  expect(source).toBe('2024')
  expect([...categories.keys()]).toEqual(['01', '1.10', '1E5'])
  expect([...statuses.keys()]).toEqual(['TRUE', 'no', '~'])
})

it('words are read in the form in which cells are compared', () => {
  const { columns, categories } = parse(
    valid.replace('Animal\n', 'Animal\u00a0Name\u200b\n').replace('Guinea Pig', 'Zoe\u0308'),
  )

  expect(columns.name).toBe('Animal Name')
  expect([...categories.keys()]).toContain('Zoë')
})

it('the shares that make a file doubtful are settings', () => {
  expect(parse(`${valid}losses: 10 %\ngains: 300%\n`)).toMatchObject({ lossPercent: 10, gainPercent: 300 })
})

const parseWith = (part: string, replacement: string) => () => parse(valid.replace(part, replacement))

it.each([
  {
    part: 'oak-lane',
    by: 'Oak Lane',
    sentence: ', line 2: `source` must be at most 64 lower-case letters, digits and',
  },
  { part: 'source: oak-lane\n', by: '', sentence: ': `source` has no value; it must be at most 64 lower-case' },
  { part: ' remove', by: '', sentence: ', line 10: `missing` has no value; it must be remove or sold.' },
  { part: '  status:', by: '  state:', sentence: ', line 7: `columns.state` is no setting.' },
  { part: '  status:', by: '  state:', sentence: ', line 3: `columns.status` has no value; it must be the name of a' },
  { part: '11', by: '9223372036854775808', sentence: ', line 8: `categories.Dog` must be a category id' },
  {
    part: 'available',
    by: 'Available',
    sentence: ', line 9: `statuses.Ready` must be one of available, pending, sold',
  },
  { part: 'remove', by: 'keep', sentence: ', line 10: `missing` must be remove or sold.' },
  { part: 'remove', by: 'remove\nencoding: latin', sentence: ', line 11: `encoding` must be the name of an encoding' },
  { part: 'remove', by: 'remove\nlosses: 0.1', sentence: ', line 11: `losses` must be a share such as 10 %.' },
  { part: 'remove', by: 'remove\nmissing: sold', sentence: ', line 11: this name is there twice.' },
  { part: '11', by: '11, "Dog\u200b": 12', sentence: ', line 8: this name is there twice.' },
  { part: valid, by: '', sentence: ': the file must have lines such as `source: elm-street`.' },
])('a mistake is a sentence that names file and line: oak-lane.yaml$sentence', ({ part, by, sentence }) => {
  const message = expect.stringContaining(`/feeds/oak-lane.yaml${sentence}`)

  expect(parseWith(part, by)).toThrow(expect.objectContaining({ exitCode: 2, message }))
})

it.each([
  { word: '{ Dog #: 11', part: '{ Dog: 11', line: 8 },
  { word: 'Animal #', part: "'Animal #'", line: 4 },
  { word: 'State: now', part: 'State', line: 7 },
  { word: '*Ready : ', part: 'Ready: ', line: 9 },
  { word: '& State', part: 'State', line: 7 },
  { word: '!Ready : ', part: 'Ready: ', line: 9 },
  { word: '@State', part: 'State', line: 7 },
])('$word without quotation marks is a mistake that names its line and asks for them', ({ word, part, line }) => {
  const sentence = new RegExp(`^/feeds/oak-lane.yaml, line ${line}: .* needs quotation marks, such as 'Animal #'.$`)

  expect(parseWith(part, word)).toThrow(sentence)
})

it('a comma that is missing between entries is a mistake that names its line and asks for commas', () => {
  expect(parseWith('Ready: available,', 'Ready: available')).toThrow(/^\/feeds\/oak-lane.yaml, line 9: .* need commas/)
})

it('settings in another encoding than UTF-8 are refused', () => {
  const bytes = Buffer.from(valid.replace('Guinea Pig', 'Zo\xeb'), 'latin1')

  expect(() => parseSettings('/feeds/oak-lane.yaml', bytes)).toThrow('/feeds/oak-lane.yaml is not UTF-8.')
})

it('settings that are missing are a mistake in the command line', () => {
  expect(() => readSettings('/nowhere/oak-lane.yaml')).toThrow(expect.objectContaining({ exitCode: 2 }))
})
