/** The modules that ajv writes for the operations, in `shared/contract/generated`. They have no types of their own. */
declare module '*.validator.cjs' {
  const validate: import('../http/operation-contract.ts').OperationContract['validate']
  export default validate
}
