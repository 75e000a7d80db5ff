import { expect, it } from 'vitest'
import { parseSettings, readSettings } from '../../../../../infra/commands/sync/settings.ts'

/** Valid settings. Line 1 is an empty comment, which tests replace by the comment and another setting in line 2. */
const valid = `#
columns:
  number: 'Animal #'
  name: Animal
  category: Kind  # A comment.
  status: State
categories: { Dog: 11, Guinea Pig: 9007199254740993 }  # Another one.
statuses: { Ready: available, Adopted: sold, On hold: hidden }
`

const parse = (text: string) => parseSettings('/feeds/oak-lane.yaml', Buffer.from(text))

it('settings are read with exact category ids, and the default share', () => {
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
    lossPercent: 20,
    encoding: undefined,
  })
})

it('words are read as they are written, also those that YAML takes for numbers and booleans', () => {
  const { categories, statuses } = parse(
    valid
      .replace(/\{ Dog.*/, '{ 01: 101, 1.10: 102, 1E5: 103 }')
      .replace(/\{ Ready.*/, '{ TRUE: available, no: hidden, ~: sold }'),
  )

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

it('the share that makes a file doubtful is a setting', () => {
  expect(parse(`${valid}losses: 10 %\n`)).toMatchObject({ lossPercent: 10 })
})

it.each(['/feeds/oak-lane.yml', '/feeds/Oak Lane.yaml', '/feeds/.yaml', `/feeds/${'x'.repeat(65)}.yaml`])(
  'settings must have the name of a source and end in .yaml, unlike %s',
  (path) => {
    const message = expect.stringContaining(`${path} must have the name of its source and end in .yaml`)

    expect(() => parseSettings(path, Buffer.from(valid))).toThrow(expect.objectContaining({ exitCode: 2, message }))
  },
)

/** Creates a function that reads the valid settings with a part of them replaced. */
const parseWith = (part: string, replacement: string) => () => parse(valid.replace(part, replacement))

it.each([
  { part: '#\n', by: '#\nsource: oak-lane\n', sentence: ', line 2: `source` is no setting.' },
  { part: '#\n', by: '#\nmissing: sold\n', sentence: ', line 2: `missing` is no setting.' },
  { part: '#\n', by: '#\ngains: 20 %\n', sentence: ', line 2: `gains` is no setting.' },
  { part: '  status:', by: '  state:', sentence: ', line 6: `columns.state` is no setting.' },
  {
    part: '  status:',
    by: '  state:',
    sentence: ', line 2: `columns.status` has no value; it must be the name of a column of the file.',
  },
  {
    part: '11',
    by: '9223372036854775808',
    sentence: ', line 7: `categories.Dog` must be a category id, which is a whole number.',
  },
  {
    part: 'available',
    by: 'Available',
    sentence: ', line 8: `statuses.Ready` must be one of available, pending, sold, hidden.',
  },
  {
    part: 'hidden }',
    by: 'hidden }\nencoding: latin',
    sentence: ', line 9: `encoding` must be the name of an encoding, such as windows-1252.',
  },
  { part: 'hidden }', by: 'hidden }\nlosses: 0.1', sentence: ', line 9: `losses` must be a share such as 10 %.' },
  { part: 'hidden }', by: 'hidden }\nstatuses: {}', sentence: ', line 9: this name is there twice.' },
  { part: '11', by: '11, "Dog\u200b": 12', sentence: ', line 7: this name is there twice.' },
  { part: valid, by: '', sentence: ': the file must have lines such as `losses: 20 %`.' },
])('a mistake is a sentence that names file and line: oak-lane.yaml$sentence', ({ part, by, sentence }) => {
  const message = expect.stringContaining(`/feeds/oak-lane.yaml${sentence}`)

  expect(parseWith(part, by)).toThrow(expect.objectContaining({ exitCode: 2, message }))
})

it.each([
  { word: '{ Dog #: 11', part: '{ Dog: 11', line: 7 },
  { word: 'Animal #', part: "'Animal #'", line: 3 },
  { word: 'State: now', part: 'State', line: 6 },
  { word: '*Ready : ', part: 'Ready: ', line: 8 },
  { word: '& State', part: 'State', line: 6 },
  { word: '!Ready : ', part: 'Ready: ', line: 8 },
  { word: '@State', part: 'State', line: 6 },
])('$word without quotation marks is a mistake that names its line and asks for them', ({ word, part, line }) => {
  const sentence = new RegExp(`^/feeds/oak-lane.yaml, line ${line}: .* needs quotation marks, such as 'Animal #'.$`)

  expect(parseWith(part, word)).toThrow(sentence)
})

it('a comma that is missing between entries is a mistake that names its line and asks for commas', () => {
  expect(parseWith('Ready: available,', 'Ready: available')).toThrow(/^\/feeds\/oak-lane.yaml, line 8: .* need commas/)
})

it('settings in another encoding than UTF-8 are refused', () => {
  const bytes = Buffer.from(valid.replace('Guinea Pig', 'Zo\xeb'), 'latin1')

  expect(() => parseSettings('/feeds/oak-lane.yaml', bytes)).toThrow('/feeds/oak-lane.yaml is not UTF-8.')
})

it('settings that are missing are a mistake in the command line', () => {
  expect(() => readSettings('/nowhere/oak-lane.yaml')).toThrow(expect.objectContaining({ exitCode: 2 }))
})
