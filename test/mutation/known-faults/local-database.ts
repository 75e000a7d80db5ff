import type { KnownFault } from './known-fault.ts'

const database = 'test/unit/infra/local/database.test.ts'

/** Faults of the database of the local environment. */
export const localDatabase: readonly KnownFault[] = [
  {
    title: 'a transaction of the local database keeps half of its writes',
    file: 'infra/local/database/storage.ts',
    find: "if (!error) sqlite.exec('COMMIT')",
    replaceBy: "sqlite.exec('COMMIT')",
    test: database,
  },
  {
    title: 'a write that DynamoDB would refuse shows the old item to everybody',
    file: 'infra/local/database/operations.ts',
    find: 'if (failure && isRequested && existingItem) failure.body.Item = existingItem',
    replaceBy: 'if (failure && existingItem) failure.body.Item = existingItem',
    test: database,
  },
  {
    title: 'a cancelled transaction does not say which of its writes failed',
    file: 'infra/local/database/operations.ts',
    find: "(failure?.body.__type ?? '')?.[1] ?? 'None'",
    replaceBy: "(failure?.body.__type ?? '')?.[9] ?? 'None'",
    test: database,
  },
  {
    title: 'an operation that the local database cannot do seems to succeed',
    file: 'infra/local/database/operations.ts',
    find: 'throw createUnsupportedFailure(operation)\n    }',
    replaceBy: 'resolve({})\n    }',
    test: database,
  },
  {
    title: 'a table whose creation was interrupted stops every later start',
    file: 'infra/local/database/storage.ts',
    find: "DELETE FROM entries WHERE place = 'table' AND value ->> 'TableStatus' <> 'ACTIVE';",
    replaceBy: '',
    test: database,
  },
  {
    title: 'any web page reads and writes the local database',
    file: 'infra/local/database/dynalite-thread.ts',
    find: 'if (!isFromProgram(request)) throw',
    replaceBy: 'if (request.destroyed && !isFromProgram(request)) throw',
    test: database,
  },
]
