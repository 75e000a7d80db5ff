import { ServiceError } from '../../../../shared/errors/service-error.ts'

export interface Refused {
  readonly code: string
  readonly message: string
}

/** What an action is refused with; `undefined` where it is not. Other errors are thrown on. */
export const refusalOf = async (action: () => unknown): Promise<Refused | undefined> => {
  try {
    await action()
    return undefined
  } catch (error) {
    if (error instanceof ServiceError) return { code: error.code, message: error.message }
    throw error
  }
}
