-- What of a table may change, below the application: what is agreed there stays, a closed one stays closed, a stay is left once.

CREATE FUNCTION refuse_table_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
END $$;

CREATE TRIGGER table_agreement_fixed BEFORE UPDATE ON tables_table FOR EACH ROW
    WHEN (OLD.status = 'closed'
          OR NEW.seq < OLD.seq
          OR (OLD.id, OLD.public_id, OLD.hall_id, OLD.game, OLD.convention, OLD.stake_kind, OLD.stake_minor,
              OLD.most_to_lose_minor, OLD.seats, OLD.rake, OLD.allows_spectators, OLD.created_by_id, OLD.created_at)
             IS DISTINCT FROM
             (NEW.id, NEW.public_id, NEW.hall_id, NEW.game, NEW.convention, NEW.stake_kind, NEW.stake_minor,
              NEW.most_to_lose_minor, NEW.seats, NEW.rake, NEW.allows_spectators, NEW.created_by_id, NEW.created_at))
    EXECUTE FUNCTION refuse_table_change('stays as it was agreed, and is closed once');

CREATE TRIGGER stay_identity_fixed BEFORE UPDATE ON tables_tableseat FOR EACH ROW
    WHEN (OLD.left_at IS NOT NULL
          OR (OLD.id, OLD.table_id, OLD.index, OLD.user_id, OLD.sat_at)
             IS DISTINCT FROM (NEW.id, NEW.table_id, NEW.index, NEW.user_id, NEW.sat_at))
    EXECUTE FUNCTION refuse_table_change('stays whose it is, and is left once');

CREATE TRIGGER table_stays BEFORE DELETE ON tables_table FOR EACH ROW EXECUTE FUNCTION refuse_table_change('stays');
CREATE TRIGGER stay_stays BEFORE DELETE ON tables_tableseat FOR EACH ROW EXECUTE FUNCTION refuse_table_change('stays');
CREATE TRIGGER table_no_truncate BEFORE TRUNCATE ON tables_table EXECUTE FUNCTION refuse_table_change('stays');
CREATE TRIGGER stay_no_truncate BEFORE TRUNCATE ON tables_tableseat EXECUTE FUNCTION refuse_table_change('stays');
