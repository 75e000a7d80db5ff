import { expect, test } from 'vitest'
import { replacePart, replaceSection, replaceTableRows } from '../../../../infra/contract/edit-text.ts'
import { replaceRequire } from '../../../../infra/contract/validator.ts'

const validatorEdit = {
  file: 'generated/get-pet.ts',
  purpose: 'declare the type of the validator',
  part: 'export const validate =',
  replacement: 'const validate: $1 =',
}

test('An edit replaces the first occurrence of its part', () => {
  const text = 'export const validate = one; export const validate = two'

  // $1 stays as it is: the replacement is no pattern.
  expect(replacePart(text, validatorEdit)).toBe('const validate: $1 = one; export const validate = two')
})

test('An edit whose part is missing is an error that names the edit, the file and the part', () => {
  expect(() => replacePart('module.exports = validate', validatorEdit)).toThrow(
    'Cannot declare the type of the validator in generated/get-pet.ts: it has no "export const validate =".',
  )
})

const planEdit = {
  file: 'README.md',
  purpose: 'update the table of plans',
  head: '| plan |',
  isGenerated: (row: string) => !row.startsWith('| Enterprise'),
  rows: ['| Free | 60 |'],
}

test('A table gets its new rows before those that are not generated', () => {
  const text = 'Plans:\n\n| plan | limit |\n|---|---|\n| Basic | 10 |\n| Enterprise | own |\n\n| plan | other |\n'

  expect(replaceTableRows(text, planEdit)).toBe(
    'Plans:\n\n| plan | limit |\n|---|---|\n| Free | 60 |\n| Enterprise | own |\n\n| plan | other |\n',
  )
})

test('A table at the end of a text gets its new rows', () => {
  expect(replaceTableRows('| plan | limit |\n|---|---|\n| Basic | 10 |', planEdit)).toBe(
    '| plan | limit |\n|---|---|\n| Free | 60 |',
  )
})

test('A missing table is an error that names the edit, the file and the head of the table', () => {
  expect(() => replaceTableRows('| tier | limit |\n', planEdit)).toThrow(
    'Cannot update the table of plans in README.md: it has no "| plan |".',
  )
})

const typesEdit = {
  file: 'client.py',
  purpose: 'update the types',
  begin: '# begin\n',
  end: '# end',
  section: 'new\n',
}

test('A section between two lines is replaced', () => {
  expect(replaceSection('import a\n# begin\nold\n# end\nprint()\n', typesEdit)).toBe(
    'import a\n# begin\nnew\n# end\nprint()\n',
  )
})

test.each([
  { missingLine: '# begin\n', text: 'old\n# end\n' },
  { missingLine: '# end', text: '# begin\nold\n' },
])(
  'A section without "$missingLine" is an error that names the edit, the file and the line',
  ({ missingLine, text }) => {
    expect(() => replaceSection(text, typesEdit)).toThrow(
      `Cannot update the types in client.py: it has no "${missingLine}".`,
    )
  },
)

test("A require of ajv's runtime becomes an import", () => {
  const line = 'const func1 = require("ajv/dist/runtime/ucs2length").default;'

  expect(replaceRequire(line, 'list-pets.ts')).toBe(
    'import func1Module from "ajv/dist/runtime/ucs2length.js";const func1 = func1Module.default;',
  )
})

test('A require of another form is an error that names the edit, the file and the line', () => {
  const line = 'const { default: func1 } = require("ajv/dist/runtime/ucs2length");'

  expect(() => replaceRequire(line, 'list-pets.ts')).toThrow(
    `Cannot replace a require by an import in list-pets.ts: "${line}".`,
  )
})
