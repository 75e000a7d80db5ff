import { expect, it } from 'vitest'
import { catalogue } from '../../../../shared/contract/generated/errors.ts'

it.each(Object.entries(catalogue))(
  'the message of %s can stand in a body that API Gateway fills by substitution',
  (_code, { message }) => {
    expect(message).toMatch(/^[^"\\\p{Cc}]+\.$/u)
  },
)
