import { expect, it } from 'vitest'
import { parseSettings, readSettings } from '../../../../../infra/commands/sync/settings.ts'

const valid = `# A comment.
source: oak-lane
columns:
  number: 'Animal #'
  name: Animal
  category: Kind  # Another one.
  status: State
categories: { Dog: 11, Guinea Pig: 9007199254740993 }
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

it.each([
  { mistake: ['oak-lane', 'Oak Lane'], sentence: 'line 2: `source` must be at most 64 lower-case' },
  { mistake: ['source: oak-lane\n', ''], sentence: '`source` has no value' },
  { mistake: ['missing: remove', 'missing:'], sentence: 'line 10: `missing` has no value; it must be remove or sold' },
  { mistake: ['missing: remove', ''], sentence: '`missing` has no value; it must be remove or sold' },
  { mistake: ['  status: State', '  state: State'], sentence: 'line 7: `columns.state` is no setting' },
  { mistake: ['  status: State', '  state: State'], sentence: 'line 3: `columns.status` has no value' },
  { mistake: ['Dog: 11', 'Dog: 1.5'], sentence: 'line 8: `categories.Dog` must be a category id' },
  { mistake: ['Dog: 11', 'Dog: 9223372036854775808'], sentence: 'line 8: `categories.Dog` must be a category id' },
  {
    mistake: ['Ready: available', 'Ready: Available'],
    sentence: 'line 9: `statuses.Ready` must be one of available, pen',
  },
  { mistake: ['missing: remove', 'missing: keep'], sentence: 'line 10: `missing` must be remove or sold' },
  {
    mistake: ['missing: remove', 'missing: remove\nencoding: latin'],
    sentence: 'line 11: `encoding` must be the name of',
  },
  {
    mistake: ['missing: remove', 'missing: remove\nlosses: 0.1'],
    sentence: 'line 11: `losses` must be a share such as 10 %',
  },
  { mistake: ['missing: remove', 'missing: remove\nmissing: sold'], sentence: 'line 11: this name is there twice' },
  { mistake: ['Dog: 11', 'Dog: 11, "Dog\u200b": 12'], sentence: 'line 8: this name is there twice' },
  { mistake: [valid, ''], sentence: 'the file must be a list of settings' },
])(
  'a mistake is a sentence that names file and line: "$sentence"',
  ({ mistake: [part = '', replacement = ''], sentence }) => {
    const message = expect.stringMatching(/^\/feeds\/oak-lane.yaml(, line \d+)?: /)

    expect(() => parse(valid.replace(part, replacement))).toThrow(expect.objectContaining({ exitCode: 2, message }))
    expect(() => parse(valid.replace(part, replacement))).toThrow(sentence)
  },
)

it.each([
  { cause: 'a # in braces', mistake: ['{ Dog: 11', '{ Dog #: 11'], line: 8 },
  { cause: 'a # before other words in braces', mistake: ['{ Dog: 11', '{ Dog # 1: 11'], line: 8 },
  { cause: 'a # at the end of a word', mistake: ["'Animal #'", 'Animal #'], line: 4 },
  { cause: 'a : within a word', mistake: ['State', 'State: now'], line: 7 },
  { cause: 'a * before a word', mistake: ['Ready: ', '*Ready : '], line: 9 },
  { cause: 'a & before a word', mistake: ['State', '& State'], line: 7 },
  { cause: 'a ! before a word', mistake: ['Ready: ', '!Ready : '], line: 9 },
  { cause: 'a @ before a word', mistake: ['State', '@State'], line: 7 },
])(
  '$cause is a mistake that names its line, and asks for quotation marks',
  ({ mistake: [part = '', replacement = ''], line }) => {
    const message = expect.stringMatching(
      new RegExp(`^/feeds/oak-lane.yaml, line ${line}: .*Put words .* into quotation marks, such as 'Animal #'.$`),
    )

    expect(() => parse(valid.replace(part, replacement))).toThrow(expect.objectContaining({ exitCode: 2, message }))
  },
)

it('settings in another encoding than UTF-8 are refused', () => {
  const bytes = Buffer.from(valid.replace('Guinea Pig', 'Zo\xeb'), 'latin1')

  expect(() => parseSettings('/feeds/oak-lane.yaml', bytes)).toThrow('/feeds/oak-lane.yaml is not UTF-8.')
})

it('settings that are missing are a mistake in the command line', () => {
  expect(() => readSettings('/nowhere/oak-lane.yaml')).toThrow(expect.objectContaining({ exitCode: 2 }))
})
